"""The nftables table that puts a device's packets into tiers, as text for nft(8).

    leaving     on its way out, after routing and before the source is translated: the first
                rule that matches sets the DSCP, and keeps it in the connection's mark
    forwarded,  come in by the device, its destination translated back: the mark is set, if no
    delivered   packet of the connection has set it yet, for those that follow

Where nothing is restored there is only the first. Each rule carries a digest of itself
as its comment: nft prints rules in its own words, which differ between versions, but comments
come back as they were given.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from tcc.ir import ConnectionMark
from tcc.lower.ifb import digest, is_plain

MARK: Final = ConnectionMark()
"""Where a DSCP is noted unless a link says another place: as in sqm's relatives, tc-ctinfo(8)."""
MANGLE: Final = -150
"""Priority of the hooks, as NF_IP_PRI_MANGLE: after connection tracking, before source NAT."""
_HASH_DIGITS: Final = 12
_COMMENT = re.compile(r'comment "([^"]*)"')


class Goal(NamedTuple):
    """What a packet gets: its DSCP, and the one kept for what comes back; None leaves either."""

    sent: int | None
    kept: int | None


class Rule(NamedTuple):
    """Conditions in nft's words, which all must hold, and what a packet that meets them gets."""

    conditions: str
    goal: Goal
    tier: str


class Table(NamedTuple):
    """The rules of one device, in order: the first that matches counts."""

    device: str
    leaving: tuple[Rule, ...]
    arriving: tuple[Rule, ...] = ()
    mark: ConnectionMark = MARK
    """The bits of a connection's mark that a DSCP is kept in."""

    @property
    def name(self) -> str:
        """The table's name."""
        return table_name(self.device)

    def text(self) -> str:
        """Return the table as nft(8) takes it."""
        return _text(self)


@lru_cache(maxsize=256)
def _text(table: Table) -> str:
    """Return the text of a table whose rules are tuples; many sites have the same."""
    chains = [*_goals(table), *_arriving(table), _leaving(table)]
    return f"table inet {table.name} {{\n" + "\n".join(chains) + "}\n"


def table_name(device: str) -> str:
    """Return the name of the table for a device; nft(8) allows it no other signs.

    >>> table_name("eth0.7")
    'tcc-eth0.7'
    """
    return f"tcc-{device if is_plain(device) else digest(device)[:_HASH_DIGITS]}"


def is_quotable(device: str) -> bool:
    """Whether nft(8) can be told a device's name: it has no way to escape these signs."""
    return not set(device) & set('"\\*') and device.isprintable()


def fingerprint(text: str) -> tuple[str, ...]:
    """Return what makes a table the one that was wanted, however nft prints it.

    That is the names of its chains and the digests of its rules in order. A rule of others
    has no digest, so it counts as it is.
    """
    found = []
    for line in text.splitlines():
        words = line.strip()
        comment = _COMMENT.search(words)
        if comment is not None:
            found.append(comment[1])
        elif words.startswith("chain "):
            found.append(words.removesuffix("{").strip())
        elif words and not words.startswith(("table ", "type ", "}", "#")):
            found.append(words)
    return tuple(found)


def _rule(words: str, why: str = "") -> str:
    """Return a rule with the digest of itself and the tier that it is for."""
    own = sha256(words.encode()).hexdigest()[:_HASH_DIGITS]
    return f'\t\t{words} comment "{" ".join(filter(None, ("tcc", own, why)))}"\n'


def _chain(name: str, rules: Sequence[str], hook: str = "") -> str:
    head = f"\t\ttype filter hook {hook} priority {MANGLE}; policy accept;\n" if hook else ""
    return f"\tchain {name} {{\n{head}{''.join(rules)}\t}}\n"


def _goals(table: Table) -> Iterator[str]:
    """Yield a chain for everything that a packet can get; its end is the end for the packet."""
    goals = dict.fromkeys(rule.goal for rule in (*table.leaving, *table.arriving))
    for goal in goals:
        rules = []
        if goal.sent is not None:
            rules += [_rule(f"{family} dscp set {goal.sent}") for family in ("ip", "ip6")]
        if goal.kept is not None:
            others = 0xFFFFFFFF & ~(table.mark.dscp | table.mark.valid)
            kept = table.mark.holding(goal.kept)
            rules.append(_rule(f"ct mark set ct mark & {others:#x} | {kept:#x}"))
        yield _chain(_name_of(goal), rules)


def _name_of(goal: Goal) -> str:
    sent = "" if goal.sent is None else f"_dscp_{goal.sent}"
    kept = "" if goal.kept is None else f"_keep_{goal.kept}"
    return f"to{sent}{kept}"


def _arriving(table: Table) -> Iterator[str]:
    if not table.arriving:
        return
    valid = f"{table.mark.valid:#x}"
    known = _rule(f"ct mark & {valid} == {valid} return")
    yield _chain("arriving", [known, *(_goto(rule) for rule in table.arriving)])
    jump = [_rule(f'iifname "{table.device}" jump arriving')]
    yield _chain("forwarded", jump, "forward")
    yield _chain("delivered", jump, "input")


def _leaving(table: Table) -> str:
    out = f'oifname "{table.device}" '
    return _chain("leaving", [_goto(rule, out) for rule in table.leaving], "postrouting")


def _goto(rule: Rule, where: str = "") -> str:
    words = " ".join(filter(None, (rule.conditions, f"goto {_name_of(rule.goal)}")))
    return _rule(where + words, rule.tier)
