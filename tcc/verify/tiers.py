"""Which tier a flow of a scenario belongs to, and the mark that carries it there.

A tier's packets get a DSCP that the chosen mode maps to its tin, which lowering decides.
"""

from typing import NamedTuple

from tcc.ir import Match, Tier
from tcc.lower.marks import mark_of

__all__ = ["Traffic", "holds", "mark_of", "tier_of"]


class Traffic(NamedTuple):
    """What is known of a flow's packets before they are marked."""

    protocol: str
    dscp: int


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
