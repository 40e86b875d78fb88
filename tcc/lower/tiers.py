"""Tiers on a running kernel: which packets get which DSCP, and which connections a mark.

CAKE sorts packets by their DSCP, so a tier is a mark: rules set the DSCP of its packets on
their way out, before the qdisc, and note it in the connection's mark. What comes in passes
the qdisc before any rule could see it; there the filter that redirects it restores the DSCP
from the mark (tc-ctinfo(8)). A tier that only names DSCPs which CAKE's own table has in that
tin needs nothing of all this.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from tcc.diagnostics import Diagnostic, error
from tcc.dscp import name_of
from tcc.facts import DeviceFacts
from tcc.ir import Match, Path, Tier, span_at
from tcc.lower.conditions import alternatives, with_dscp
from tcc.lower.ingress import BESTEFFORT, Masks, has_action, tin_mode
from tcc.lower.link import LoweredQdisc
from tcc.lower.marks import goes_there, mark_of
from tcc.lower.nft import MARK, Goal, Rule, Table, is_quotable
from tcc.plan.state import MARKS, Place, RulesItem
from tcc.plugin import Explanation, Wish

WITH_PORTS: Final = frozenset({"bridge", "bond", "team"})
BY_DSCP: Final = (
    "match only DSCPs that CAKE has in that tin by itself, and let the hosts, or a table of the "
    "family bridge, set them (tcc explain tier-unavailable)"
)


@dataclass
class Tiering:
    """What the tiers of a policy became: tables and masks by device."""

    state: dict[Place, RulesItem] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    restored: dict[str, Masks] = field(default_factory=dict)
    explained: list[tuple[Wish, Explanation]] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)


def lower_tiers(lowered: Sequence[LoweredQdisc]) -> Tiering:
    """Return what puts packets into tiers on every device that was lowered.

    That a kind has no tins at all is its plugin's to say. Found: `tier-unavailable`.
    """
    made = Tiering()
    for ends in _by_device(lowered):
        device = _Device(ends)
        if device.tiers:
            _lower_device(device, made)
    made.found = list(dict.fromkeys(made.found))
    return made


def _lower_device(device: "_Device", made: Tiering) -> None:
    made.explained += device.explained()
    found = list(device.lacking(Place(device.name, MARKS) in made.state))
    made.found += found
    mark = device.wish.link.connection_mark or MARK
    table = Table(device.name, device.rules.leaving, device.rules.arriving, mark)
    if found or not (table.leaving or table.arriving):
        return
    path = device.wish.path
    made.tables.append(table)
    made.state[Place(device.name, MARKS)] = RulesItem(table.name, table.text(), path)
    if device.rules.restores:
        made.restored[device.name] = (mark.dscp, mark.valid)


def _by_device(lowered: Iterable[LoweredQdisc]) -> list[list[LoweredQdisc]]:
    """Return what was lowered with tins, by device and link."""
    found: dict[tuple[str, str], list[LoweredQdisc]] = {}
    for one in lowered:
        if one.settings is not None and tin_mode(one) is not None:
            found.setdefault((one.wish.device.name, one.wish.link.name), []).append(one)
    return list(found.values())


def tiers_of(wish: Wish) -> Iterator[tuple[Path, Tier]]:
    """Yield the tiers that hold for a link, its own first, with where each is in the policy."""
    own = len(wish.link.tiers)
    for index, tier in enumerate(wish.tiers):
        yield (*wish.path[:-1], "tiers", index) if index < own else ("tiers", index - own), tier


class _Sorting(NamedTuple):
    """What decides which rules a device takes, and all but its own name."""

    tiers: tuple[Tier, ...]
    sent: str | None
    """Mode of the tins that packets leave by; None: that direction is not shaped."""
    kept: str | None
    """Mode of the tins that they come in by."""
    turned: bool
    """Whether the device leads to the hosts."""

    @property
    def restores(self) -> bool:
        """Whether what comes in gets its DSCP back from the connection's mark."""
        return self.kept not in {None, BESTEFFORT} and any(
            not _is_native(match, tier, self.kept) for tier in self.tiers for match in tier.matches
        )


class _Rules(NamedTuple):
    """What a sorting comes to."""

    restores: bool
    leaving: tuple[Rule, ...]
    arriving: tuple[Rule, ...]
    became: Mapping[str, Sequence[tuple[str, str]]]
    """By direction, what each tier became, and because of what."""


def _is_native(match: Match, tier: Tier, mode: str | None) -> bool:
    """Whether CAKE's own table does what `match` asks for."""
    only_dscp = match == Match(dscp=match.dscp) and bool(match.dscp)
    return only_dscp and all(goes_there(one, tier.tin, mode) for one in match.dscp)


@lru_cache(maxsize=256)
def _rules(sorting: _Sorting) -> _Rules:
    """Return the rules of a sorting; devices of many sites have the same."""
    goals = _Goals(sorting.sent, sorting.kept, sorting.restores)
    return _Rules(
        goals.restores,
        _leaving(sorting, goals),
        _arriving(sorting, goals),
        {
            direction: [_became(direction, tier, mode, goals) for tier in sorting.tiers]
            for direction, mode in (("egress", sorting.sent), ("ingress", sorting.kept))
            if mode is not None
        },
    )


class _Goals(NamedTuple):
    """What packets of a tier get."""

    sent: str | None
    kept: str | None
    restores: bool

    def of(self, tier: Tier, dscp: int | None) -> Goal:
        """Return what a packet of `tier` gets; one that is there and does stays."""
        sent = None if self.sent is None else _mark(tier, dscp, self.sent)
        return Goal(sent, self.noted(tier, dscp) if self.restores else None)

    def noted(self, tier: Tier, dscp: int | None) -> int:
        """Return the DSCP that the connection's mark holds."""
        return _mark(tier, dscp, self.kept)


def _leaving(sorting: _Sorting, goals: _Goals) -> tuple[Rule, ...]:
    """Return the rules for what leaves; those at the end that alter nothing are left out."""
    if goals.sent is None and not goals.restores:
        return ()
    rules: list[tuple[Rule, bool]] = []
    for tier in sorting.tiers:
        for match in tier.matches:
            rules += _leaving_by(tier, match, sorting, goals)
    while rules and not rules[-1][1]:
        rules.pop()
    return tuple(rule for rule, _ in rules)


def _leaving_by(
    tier: Tier, match: Match, sorting: _Sorting, goals: _Goals
) -> Iterator[tuple[Rule, bool]]:
    """Yield rules, and whether each alters anything by itself."""
    found = list(alternatives(match, local_sends=not sorting.turned, other="iifname"))
    if not match.dscp:
        goal = goals.of(tier, None)
        yield from ((Rule(words, goal, tier.name), True) for words in found)
        return
    by_goal: dict[Goal, list[int]] = {}
    for dscp in match.dscp:
        by_goal.setdefault(goals.of(tier, dscp), []).append(dscp)
    for goal, dscps in by_goal.items():
        alters = goal.kept is not None or [goal.sent] != dscps
        for words in found:
            for one in with_dscp(words, dscps):
                yield Rule(one, goal, tier.name), alters


def _arriving(sorting: _Sorting, goals: _Goals) -> tuple[Rule, ...]:
    """Return the rules for what has come in.

    A DSCP is no condition there: it may have been washed or restored meanwhile.
    """
    if not goals.restores:
        return ()
    return tuple(
        Rule(words, Goal(None, goals.noted(tier, None)), tier.name)
        for tier in sorting.tiers
        for match in tier.matches
        if not match.dscp
        for words in alternatives(match, local_sends=sorting.turned, other="oifname")
    )


def _became(direction: str, tier: Tier, mode: str, goals: _Goals) -> tuple[str, str]:
    if all(_is_native(match, tier, mode) for match in tier.matches):
        return "no rule", f"{mode} has these DSCPs in that tin by itself"
    mark = f"DSCP {name_of(mark_of(tier.tin, mode))}"
    if direction == "egress":
        return f"{mark} by nftables", "before the qdisc, the first tier that matches"
    if not goals.restores:
        return "nothing", f"{mode} sorts nothing"
    return f"{mark} by ctinfo", "from the connection's mark, where rules have noted it"


@dataclass
class _Device:
    """One device of one link, and its tiers."""

    ends: list[LoweredQdisc]

    def __post_init__(self) -> None:
        self.wish = self.ends[0].wish
        self.name = self.wish.device.name
        modes = {one.wish.direction: tin_mode(one) for one in self.ends}
        self.tiers = list(tiers_of(self.wish))
        role = self.wish.link.role
        self.role = role.kind if role else None
        self.sorting = _Sorting(
            tuple(tier for _, tier in self.tiers),
            modes.get("egress"),
            modes.get("ingress"),
            role is not None and role.facing_hosts,
        )
        self.rules = _rules(self.sorting)

    @property
    def master(self) -> DeviceFacts | None:
        """Return what the device is a port of, where packets are routed to that and not to it."""
        facts, name = self.wish.facts, self.wish.device.master
        found = facts.device(name) if facts is not None and name is not None else None
        return found if found is not None and found.kind in WITH_PORTS else None

    def lacking(self, taken: bool) -> Iterator[Diagnostic]:
        """Yield `tier-unavailable` where what it takes is not there.

        `taken`: another link has rules for the device already.
        """
        facts = self.wish.facts
        if not self.rules.leaving:
            return
        if taken:
            yield from self._at_each(
                "two links shape one device, each a direction", "say both directions in one link"
            )
        if facts is not None and facts.nft is False:
            cure = "install it (nftables), and take facts anew"
            yield from self._at_each("it takes nft(8), which is not here", cure)
        if self.rules.restores and not has_action(facts, "ctinfo"):
            yield from self._at_each(
                "for what comes in it takes the ctinfo action, which this kernel does not have",
                "install or load it (act_ctinfo; kmod-sched-ctinfo on OpenWrt)",
                "or match only DSCPs that CAKE has in that tin by itself",
            )
        if self.role == "bridge":
            yield from self._at_each(
                "packets that a bridge forwards do not pass the rules of a router", BY_DSCP
            )
        elif self.master is not None:
            yield from self._at_each(
                f"rules see its packets as those of the {self.master.kind} {self.master.name}, "
                "or not at all",
                BY_DSCP,
            )
        names = [self.name, *(one for _, tier in self.tiers for one in _devices(tier))]
        for name in names:
            if not is_quotable(name):
                yield from self._at_each(
                    f"nft(8) has no way to write the device name {name}", "rename the device"
                )

    def _at_each(self, why: str, *cures: str) -> Iterator[Diagnostic]:
        """Yield a finding for each tier that takes rules."""
        for path, tier in self.tiers:
            if any(self._takes_rules(match, tier) for match in tier.matches):
                message = f"the tier `{tier.name}` cannot be had on {self.name}: {why}"
                yield error("tier-unavailable", span_at(self.wish.spans, path), message, *cures)

    def _takes_rules(self, match: Match, tier: Tier) -> bool:
        modes = {self.sorting.sent, self.sorting.kept} - {None}
        return any(not _is_native(match, tier, mode) for mode in modes)

    def explained(self) -> Iterator[tuple[Wish, Explanation]]:
        """Yield what became of each tier in each direction, and of a mark that was asked for."""
        for one in self.ends:
            for (path, tier), became in zip(
                self.tiers, self.rules.became[one.wish.direction], strict=True
            ):
                span = span_at(self.wish.spans, path)
                yield one.wish, Explanation(f"tier {tier.name}", *became, span)
        mark = self.wish.link.connection_mark
        if mark is not None:
            clause = f"connection-mark dscp {mark.dscp:#x} valid {mark.valid:#x}"
            became = (
                (f"ctinfo dscp {mark.dscp:#x}/{mark.valid:#x}", "what comes in gets its DSCP back")
                if self.rules.restores
                else ("nothing", "no tier takes a rule for what comes in")
            )
            yield self.wish, Explanation(clause, *became, self.wish.at_link("connection_mark"))


def _mark(tier: Tier, dscp: int | None, mode: str | None) -> int:
    if dscp is not None and goes_there(dscp, tier.tin, mode):
        return dscp
    return mark_of(tier.tin, mode)


def _devices(tier: Tier) -> Iterator[str]:
    for match in tier.matches:
        yield from match.devices
