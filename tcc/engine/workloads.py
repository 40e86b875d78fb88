"""Workloads by name, as flent defines them: which flows, with which marks and intervals.

Source: flent's tests (rrul, rrul_be, tcp_nup, tcp_ndown, voip); TCP without end, ICMP pings every
200 ms and, in rrul, UDP probes at the same interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcc.engine.results import Watch
    from tcc.engine.simulation import Simulation

CS0, CS1, CS5, EF = 0, 8, 40, 46
INTERVAL = 200_000_000  # ns
WEB_PAGE = (50_000, 20_000, 20_000, 10_000, 5_000, 5_000)  # bytes: a page and what it embeds
FLOOD_RATE = 1_000_000_000  # bit/s
FLOOD_PAYLOAD = 18  # bytes; with headers and checksum, a frame of 64
WEB_PAUSE = 1_000_000_000  # ns


def add_rrul(simulation: Simulation, flows: int, start: int, stop: int | None) -> list[Watch]:
    """Add flent's rrul: four marks, a stream each way for each, probes of three marks, ICMP."""
    del flows  # rrul has four
    made = both_ways(simulation, (CS0, CS1, CS5, EF), start, stop)
    made += [add_probe(simulation, mark, stop) for mark in (EF, CS1, CS0)]
    return [*made, simulation.add_ping(INTERVAL, stop=stop)]


def add_rrul_be(simulation: Simulation, flows: int, start: int, stop: int | None) -> list[Watch]:
    """Add flent's rrul_be: the same without marks."""
    del flows
    made = both_ways(simulation, (CS0,) * 4, start, stop)
    made += [add_probe(simulation, CS0, stop) for _ in range(3)]
    return [*made, simulation.add_ping(INTERVAL, stop=stop)]


def both_ways(
    simulation: Simulation, marks: tuple[int, ...], start: int, stop: int | None
) -> list[Watch]:
    """Add a stream each way for each mark; data and acknowledgements carry it."""
    made = []
    for mark in marks:
        for direction in ("up", "down"):
            made.append(simulation.add_tcp(direction, dscp=mark, start=start, stop=stop))
    return made


def add_probe(simulation: Simulation, mark: int, stop: int | None) -> Watch:
    """Add an irtt session: a small UDP packet each interval, answered."""
    return simulation.add_ping(INTERVAL, dscp=mark, payload=60, stop=stop)


def add_tcp_nup(simulation: Simulation, flows: int, start: int, stop: int | None) -> list[Watch]:
    """Add flent's tcp_nup: uploads and a ping."""
    made = [simulation.add_tcp("up", start=start, stop=stop) for _ in range(flows)]
    return [*made, simulation.add_ping(INTERVAL, stop=stop)]


def add_tcp_ndown(simulation: Simulation, flows: int, start: int, stop: int | None) -> list[Watch]:
    """Add flent's tcp_ndown: downloads and a ping."""
    made = [simulation.add_tcp("down", start=start, stop=stop) for _ in range(flows)]
    return [*made, simulation.add_ping(INTERVAL, stop=stop)]


def add_voip(simulation: Simulation, flows: int, start: int, stop: int | None) -> list[Watch]:
    """Add flent's voip: calls, 172 bytes every 20 ms each way."""
    return [simulation.add_voip(start=start, stop=stop) for _ in range(flows)]


def add_udp_flood(simulation: Simulation, flows: int, start: int, stop: int | None) -> list[Watch]:
    """Add UDP uploads of the smallest frames, at 1 Gbit/s of payload each."""
    return [
        simulation.add_udp("up", FLOOD_RATE, FLOOD_PAYLOAD, start=start, stop=stop)
        for _ in range(flows)
    ]


def add_web(simulation: Simulation, flows: int, start: int, stop: int | None) -> list[Watch]:
    """Add pages loaded one a second by each client: short downloads, all at once."""
    made = []
    end = stop if stop is not None else start + 60 * WEB_PAUSE
    for host in range(flows):
        for when in range(start, end, WEB_PAUSE):
            made += [
                simulation.add_tcp("down", host=host, start=when, payload=size, part="web")
                for size in WEB_PAGE
            ]
    return made


WORKLOADS: dict[str, Callable[[Simulation, int, int, int | None], list[Watch]]] = {
    "rrul": add_rrul,
    "rrul_be": add_rrul_be,
    "tcp_nup": add_tcp_nup,
    "tcp_ndown": add_tcp_ndown,
    "voip": add_voip,
    "udp_flood": add_udp_flood,
    "web": add_web,
}


def add_workload(
    simulation: Simulation,
    name: str,
    *,
    flows: int = 1,
    start: int = 0,
    stop: int | None = None,
) -> list[Watch]:
    """Add a workload by its name in flent.

    Args:
        simulation: with its link in place.
        name: one of `WORKLOADS`.
        flows: for tcp_nup, tcp_ndown, udp_flood (streams), voip (calls) and web (clients).
        start: when loads begin (ns); pings are there from the beginning.
        stop: when all of it ends (ns); None for never.

    Raises:
        ValueError: there is no such workload.
    """
    if name not in WORKLOADS:
        raise ValueError(f"there is no workload {name}; there are {', '.join(WORKLOADS)}")
    return WORKLOADS[name](simulation, flows, start, stop)
