"""What the firewall has that shaping meets: flowtables, and users of marks.

nftables are asked for as JSON (libnftables-json(5)), iptables by iptables-save(8): by the name
that the system has chosen, and by that of the older form, whose rules are others.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tcc.facts.iptables_marks import iptables_marks
from tcc.facts.model import FlowtableFacts, MarkUse
from tcc.facts.nft_marks import nft_marks

PATIENCE: Final = 10
"""Seconds for a program that lists rules."""
SAVERS: Final = ("iptables-save", "iptables-legacy-save", "ip6tables-save", "ip6tables-legacy-save")


class Firewall(NamedTuple):
    """What was found; None where it could not be looked at."""

    flowtables: tuple[FlowtableFacts, ...] | None
    marks: tuple[MarkUse, ...] | None


def firewall() -> Firewall:
    """Return what the namespace of the calling thread has."""
    text = _output(["nft", "-j", "list", "ruleset"])
    if text is None:
        return Firewall(None, None)
    return told(text, {program: _output([program]) for program in SAVERS})


def told(text: str, saved: Mapping[str, str | None]) -> Firewall:
    """Return what programs printed: nft, and others by name, None where they could not."""
    ruleset = _ruleset(text)
    unread = all(text is None for text in saved.values())
    marks = [*nft_marks(ruleset, foreign=unread)]
    for program, rules in saved.items():
        marks += iptables_marks(rules or "", program.partition("-")[0])
    return Firewall(tuple(flowtables(ruleset)), tuple(dict.fromkeys(marks)))


def _output(command: Sequence[str]) -> str | None:
    """Return what a program prints; None where it is not there, fails, or takes too long."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=PATIENCE, errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _ruleset(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)["nftables"]
    except (ValueError, KeyError, TypeError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def flowtables(ruleset: Sequence[Mapping[str, Any]]) -> Iterator[FlowtableFacts]:
    """Yield the flowtables of a ruleset."""
    for one in ruleset:
        table = one.get("flowtable")
        if not isinstance(table, Mapping):
            continue
        devices, flags = table.get("dev", ()), table.get("flags", ())
        yield FlowtableFacts(
            table=f"{table.get('family')} {table.get('table')}",
            name=str(table.get("name")),
            devices=tuple([devices] if isinstance(devices, str) else map(str, devices)),
            hardware="offload" in ([flags] if isinstance(flags, str) else flags),
        )
