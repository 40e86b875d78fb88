"""Trains for fq: on a tap for its turns and bands, through a veth for its pacing."""

from __future__ import annotations

from tests.engine.kernel.frames import Look, Packet, Read, Step, Train
from tests.engine.kernel.trains_fifo import ADD, MS, US, burst, merged, mixed, primed, reads

SECOND = 1_000_000_000


def tap(name: str, words: str, given: dict[str, object], steps: list[Step]) -> Train:
    """Return a train on a tap that the train reads."""
    return Train(name, (ADD + words,), ("fq", given), steps, device="tap")


def veth(name: str, words: str, given: dict[str, object], steps: list[Step]) -> Train:
    """Return a train through a veth."""
    return Train(name, (ADD + words,), ("fq", given), steps)


def busy(at: int = 200 * US, count: int = 9, flow: int = 9) -> list[Step]:
    """Return packets that fill the fast path, so that the next ones are sorted into flows."""
    return burst(at, count, flow=flow, length=100)


TAPS = [
    tap(
        "fq: the fast path, then flows",
        "fq",
        {},
        merged(primed(), mixed(MS, 40), [Look(2 * MS)], reads(3 * MS, 20, MS), mixed(30 * MS, 9)),
    ),
    tap(
        "fq takes turns by quantum and initial quantum",
        "fq quantum 1514 initial_quantum 3028",
        {"quantum": 1514, "initial_quantum": 3028},
        merged(
            busy(0),
            burst(MS, 9, flow=1),
            burst(MS + US, 20, flow=2, length=300),
            burst(MS + 2 * US, 12, flow=3, length=700),
            [Look(2 * MS)],
            reads(3 * MS, 25, MS),
            burst(40 * MS, 9, flow=1),
            burst(40 * MS + US, 3, flow=4),
            reads(50 * MS, 50, MS),
            burst(300 * MS, 9, flow=9, length=100),
            burst(301 * MS, 4, flow=1),
            burst(301 * MS + US, 4, flow=2),
            [Look(302 * MS)],
        ),
    ),
    tap(
        "fq: no flow is longer than flow_limit",
        "fq flow_limit 5",
        {"flow_limit": 5},
        merged(busy(0), burst(MS, 9, flow=1), burst(2 * MS, 4, flow=2), burst(3 * MS, 7, flow=3)),
    ),
    tap(
        "fq: no band is longer than limit",
        "fq limit 6",
        {"limit": 6},
        merged(
            busy(0),
            burst(MS, 9, flow=1),
            burst(2 * MS, 4, flow=2, priority=6),
            burst(3 * MS, 7, flow=3, priority=6),
            burst(4 * MS, 8, flow=4, priority=1),
            [Look(5 * MS)],
            reads(6 * MS, 10, MS),
            burst(20 * MS, 8, flow=4),
        ),
    ),
    tap(
        "fq serves its bands by weight",
        "fq weights 65536 32768 16384 quantum 1514 initial_quantum 1514",
        {"weights": (65_536, 32_768, 16_384), "quantum": 1514, "initial_quantum": 1514},
        merged(
            busy(0),
            burst(MS, 90, flow=1, priority=6),
            burst(MS + US, 90, flow=2, priority=0),
            burst(MS + 2 * US, 90, flow=3, priority=2),
            [Look(3 * MS)],
        ),
    ),
    tap(
        "fq: a flow's packets change their band",
        "fq weights 65536 32768 16384 quantum 1514 initial_quantum 1514",
        {"weights": (65_536, 32_768, 16_384), "quantum": 1514, "initial_quantum": 1514},
        merged(
            busy(0),
            burst(MS, 9, flow=1, priority=2),
            burst(2 * MS, 9, flow=1, priority=6),
            burst(3 * MS, 9, flow=2, priority=0),
            burst(4 * MS, 9, flow=1, priority=0),
            burst(5 * MS, 60, flow=3, priority=2),
            [Look(6 * MS)],
            reads(7 * MS, 60, MS),
            burst(80 * MS, 9, flow=2, priority=2),
            burst(81 * MS, 9, flow=4, priority=6),
        ),
    ),
    tap(
        "fq marks what is sent too late",
        "fq ce_threshold 4ms",
        {"ce_threshold": 4_000_000},
        merged(
            busy(0), burst(MS, 20, flow=1, tos=2), burst(MS + US, 5, flow=2), reads(2 * MS, 34, MS)
        ),
    ),
    tap(
        "fq: flows after eight idle seconds",
        "fq buckets 2 initial_quantum 1514 quantum 1514",
        {"buckets": 2, "initial_quantum": 1514, "quantum": 1514},
        merged(
            busy(0),
            burst(MS, 3, flow=1),
            burst(2 * MS, 3, flow=2),
            reads(3 * MS, 30, MS),
            burst(8 * SECOND, 9, flow=9),
            burst(8 * SECOND + MS, 3, flow=1),
            burst(8 * SECOND + 2 * MS, 3, flow=2),
        ),
    ),
]

# No time is a whole millisecond: the kernel's tick comes then and lets a timer fire in its slack.
TIMED = [
    Packet(0, flow=1, departure=5_337 * US),
    Packet(100 * US, flow=1, departure=2_237 * US),
    Packet(200 * US, flow=1, departure=9_437 * US),
    Packet(300 * US, flow=1, departure=3_137 * US),
    Packet(400 * US, flow=2, departure=2_237 * US),
    Packet(500 * US, flow=3, departure=20_537 * US),
    Packet(600 * US, flow=3),
    Packet(700 * US, flow=2, departure=0),
    Packet(800 * US, flow=3, departure=1_637 * US),
    Packet(1900 * US, flow=4, departure=1_637 * US),
    Packet(30 * MS, flow=3, departure=12 * SECOND),
    Packet(31 * MS, flow=4, departure=1_637 * US),
]

VETHS = [
    veth("fq: departure times", "fq", {}, list(TIMED)),
    veth(
        "fq caps what lies beyond the horizon",
        "fq horizon 15ms horizon_cap",
        {"horizon": 15_000_000, "horizon_drop": False},
        list(TIMED),
    ),
    veth(
        "fq drops what lies beyond the horizon",
        "fq horizon 15ms",
        {"horizon": 15_000_000},
        list(TIMED),
    ),
    veth("fq without timer slack", "fq timer_slack 1ns", {"timer_slack": 1}, list(TIMED)),
    veth(
        "fq: a flow's own rate",
        "fq",
        {},
        merged(
            burst(0, 40, flow=1, rate=1_250_000), burst(US, 10, flow=2, length=500, rate=2_000_000)
        ),
    ),
    veth(
        "fq: maxrate for every flow",
        "fq maxrate 10mbit quantum 3028 initial_quantum 6056",
        {"flow_max_rate": 1_250_000, "quantum": 3028, "initial_quantum": 6056},
        merged(
            burst(0, 20, flow=1),
            burst(MS + US, 10, flow=2, length=500),
            burst(5 * MS, 12, flow=3, gap=MS),
        ),
    ),
    veth(
        "fq: below the low rate threshold every packet is paced",
        "fq low_rate_threshold 16mbit",
        {"low_rate_threshold": 2_000_000},
        merged(
            burst(0, 20, flow=1, rate=1_250_000), burst(US, 10, flow=2, length=500, rate=2_500_000)
        ),
    ),
    veth(
        "fq: maxrate and departure times",
        "fq maxrate 10mbit",
        {"flow_max_rate": 1_250_000},
        [*TIMED[:10], *burst(40 * MS, 12, flow=1)],
    ),
]

TRAINS = [*TAPS, *VETHS]
__all__ = ["TRAINS", "Read"]
