"""Which tier a flow of a scenario belongs to, and the mark that carries it there.

A tier's packets get a DSCP that the chosen mode maps to its tin. The marks are those of
RFC 4594 and RFC 8622 for the named tins, the class selector of its number for a tin of
`precedence`, and for `diffserv8` a code point of the kernel's table.
"""

from typing import NamedTuple

from tcc.ir import Match, Tier

NAMED = {"bulk": 8, "besteffort": 0, "video": 34, "voice": 46}
DIFFSERV8 = (1, 8, 0, 34, 18, 16, 46, 48)


class Traffic(NamedTuple):
    """What is known of a flow's packets before they are marked."""

    protocol: str
    dscp: int


def mark_of(tin: str, mode: str | None) -> int:
    """Return the DSCP that puts a packet into `tin`."""
    if tin in NAMED:
        return NAMED[tin]
    number = int(tin.removeprefix("tin"))
    return DIFFSERV8[number] if mode == "diffserv8" else number * 8


def holds(match: Match, traffic: Traffic) -> bool:
    """Whether a flow without addresses, ports and marks of its own meets every condition."""
    asks_more = (
        match.marks or match.local_addresses or match.remote_addresses or match.local_ports
        or match.remote_ports or match.ports or match.devices
    )  # fmt: skip
    if asks_more:
        return False
    if match.dscp and traffic.dscp not in match.dscp:
        return False
    return not match.protocols or traffic.protocol in match.protocols


def tier_of(tiers: tuple[Tier, ...], traffic: Traffic) -> Tier | None:
    """Return the first tier in file order that takes the flow."""
    return next(
        (tier for tier in tiers if any(holds(match, traffic) for match in tier.matches)), None
    )
