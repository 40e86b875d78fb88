"""From cost profiles to the numbers that a device wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

ALL_TINS = 8
PS_PER_NS = 1000


def visit_costs(host: Mapping[str, Any], tins: int) -> tuple[int, int]:
    """Return what a visited flow queue costs, warm and cold (ps), where so many tins are used.

    A profile may know it by the number of tins that are purged, or not know it: then it is 0.
    """
    cost = host.get("ns", {})
    purged = ALL_TINS - tins
    if "purge_visit" in cost:
        known = cost["purge_visit"]
        each = round(known.get(f"{purged}_tins", 0) * PS_PER_NS)
        return each, each
    warm = round(cost.get("purge_visit_warm", 0) * PS_PER_NS)
    cold = round(cost.get(f"purge_visit_cold_{purged}tins", 0) * PS_PER_NS)
    return warm, cold or warm


def spread_service(total: int, processors: int, carrying: int) -> int:
    """Return the time that a packet takes on one processor (ns).

    All processors share the work of the transmit queues that carry traffic: fewer queues leave
    more of them for each.

    Args:
        total: time of all processors for a packet (ns).
        processors: of the host.
        carrying: transmit queues that carry traffic.
    """
    return total * max(1, min(carrying, processors)) // processors
