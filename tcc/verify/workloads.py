"""Workloads by name: flent's tests, and those that a policy defines.

Definitions are flent's (its `tests/*.conf`): rrul runs four TCP flows each way marked CS0, CS1,
CS5 and EF, with UDP pings marked EF, CS1 and CS0 and an unmarked ICMP ping, all every 200 ms.
Where flent takes the number of streams from the machine, it is `DEFAULT_STREAMS` here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tcc.dscp import NAMES
from tcc.ir import Part, Policy, WorkloadUse
from tcc.units import NS_PER_MS

DEFAULT_STREAMS = 4
PING_INTERVAL = 200 * NS_PER_MS
RRUL_MARKS = ("cs0", "cs1", "cs5", "ef")
FLOOD_RATE = 1_000_000_000
FLOOD_PAYLOAD = 1470


def _ping(mark: str) -> Part:
    return Part(kind="ping", dscp=NAMES[mark], interval=PING_INTERVAL)


def _rrul(use: WorkloadUse) -> tuple[Part, ...]:
    both = [
        Part(kind="tcp", direction=direction, dscp=NAMES[mark])
        for direction in ("upload", "download")
        for mark in RRUL_MARKS
    ]
    return (*both, _ping("ef"), _ping("cs1"), _ping("cs0"), _ping("cs0"))


def _rrul_be(use: WorkloadUse) -> tuple[Part, ...]:
    both = [Part(kind="tcp", direction=direction, flows=4) for direction in ("upload", "download")]
    return (*both, *(_ping("cs0") for _ in range(4)))


def _tcp_nup(use: WorkloadUse) -> tuple[Part, ...]:
    flows = use.flows or DEFAULT_STREAMS
    return (Part(kind="tcp", direction="upload", flows=flows, hosts=use.hosts), _ping("cs0"))


def _tcp_ndown(use: WorkloadUse) -> tuple[Part, ...]:
    flows = use.flows or DEFAULT_STREAMS
    return (Part(kind="tcp", direction="download", flows=flows, hosts=use.hosts), _ping("cs0"))


def _voip(use: WorkloadUse) -> tuple[Part, ...]:
    return (Part(kind="voip", flows=use.flows or 1, dscp=NAMES["ef"], hosts=use.hosts),)


def _udp_flood(use: WorkloadUse) -> tuple[Part, ...]:
    flows = use.flows or DEFAULT_STREAMS
    return (
        Part(
            kind="udp", direction="upload", flows=flows, rate=FLOOD_RATE, payload=FLOOD_PAYLOAD,
            hosts=use.hosts,
        ),
    )  # fmt: skip


PREDEFINED: dict[str, Callable[[WorkloadUse], tuple[Part, ...]]] = {
    "rrul": _rrul,
    "rrul_be": _rrul_be,
    "tcp_nup": _tcp_nup,
    "tcp_ndown": _tcp_ndown,
    "voip": _voip,
    "udp_flood": _udp_flood,
}


def parts_of(policy: Policy, use: WorkloadUse) -> tuple[Part, ...]:
    """Return the parts of a workload as an objective uses it.

    `flows` and `hosts` of the use replace those of the parts of a workload the policy defines.
    """
    for workload in policy.workloads:
        if workload.name == use.name:
            change: dict[str, Any] = {}
            if use.flows is not None:
                change["flows"] = use.flows
            if use.hosts is not None:
                change["hosts"] = use.hosts
            return tuple(replace(part, **change) for part in workload.parts)
    return PREDEFINED[use.name](use)
