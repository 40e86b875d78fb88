"""`udp-backpressure`: UDP senders that a 500 Mbit/s tbf holds back, or drops.

The RFC's socket back-pressure is a switch of the engine's UDP socket.  Nothing is fitted to the
rows with back-pressure but the limit of bfifo, which the document does not state; the rows without
use the cost of one send.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tcc.engine.fifo import Fifo
from tcc.engine.host import profiles
from tcc.engine.sfq import Sfq
from tcc.engine.simulation import Path, Simulation
from tcc.engine.tbf import Pace, TokenBucket
from tcc.experiments import command, tasks
from tcc.experiments.comparison import CALIBRATED, EMERGENT, Check, Ours, Study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as FilePath

HOST = "ye-2022"
USED = (
    "senders",
    "send_cost_ns",
    "wake_latency_ns",
    "udp_payload",
    "sndbuf",
    "tbf_rate_bps",
    "tbf_burst_bytes",
    "bfifo_limit_bytes",
)
MS = 1_000_000
SECOND = 1_000_000_000
DURATION = 15 * SECOND
RTT = 100_000  # of the LAN; nothing depends on it
STARTS = MS  # the clients start within this time
SHOWN = 4  # client lines that the document shows
INTERVALS = (10, 100, 1000)  # ms
SEEDS = 5


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of all senders gave: payload bytes, datagrams sent and lost, jitter (ns)."""

    payload: tuple[int, ...]
    sent: tuple[int, ...]
    lost: tuple[int, ...]
    jitter: tuple[int, ...]

    def rate(self, flow: int) -> Fraction:
        """Return the throughput of a flow in Mbit/s."""
        return Fraction(self.payload[flow] * 8 * 1000, DURATION)

    def total(self) -> Fraction:
        """Return the throughput of all in Mbit/s."""
        return sum((self.rate(flow) for flow in range(len(self.payload))), Fraction(0))

    def drops(self) -> Fraction:
        """Return the average drop rate in per cent."""
        return Fraction(100 * sum(self.lost), sum(self.sent))


def simulate(host: Mapping[str, Any], inner: str, interval: int, seed: int) -> Run:
    """Let the senders run.

    Args:
        host: the cost profile.
        inner: `sfq` or `bfifo`.
        interval: of back-pressure (ms); 0 for none.
        seed: of the start times and of sfq's hash.
    """
    simulation = Simulation(seed, local=True)
    queue = (
        Sfq(simulation.pool, simulation.random(8))
        if inner == "sfq"
        else Fifo(simulation.pool, host["bfifo_limit_bytes"])
    )
    pace = Pace(host["tbf_rate_bps"] // 8)
    shaper = TokenBucket(simulation.pool, queue, pace, burst=host["tbf_burst_bytes"])
    simulation.link(shaper, Fifo(simulation.pool, 1 << 40), Path(rtt=RTT))
    starts = simulation.random(15)
    for _ in range(host["senders"]):
        simulation.add_udp(
            "up",
            SECOND,
            host["udp_payload"],
            buffer=host["sndbuf"],
            pressure=interval * MS,
            cost=host["send_cost_ns"],
            latency=host["wake_latency_ns"],
            start=starts.draw_below(STARTS),
        )
    flows = simulation.run(DURATION).flows
    return Run(
        tuple(flow.payload for flow in flows),
        tuple(flow.offered for flow in flows),
        tuple(flow.lost for flow in flows),
        tuple(flow.jitter[0] for flow in flows),
    )


def study(seed: int = 1, host: Mapping[str, Any] | None = None) -> Study:
    """Run every row."""
    host = host or profiles.host(HOST)
    wanted = [(inner, interval) for inner in ("sfq", "bfifo") for interval in (0, *INTERVALS)]
    chaotic = [("bfifo", 100, seed + more) for more in range(1, SEEDS)]
    arguments = [(host, inner, interval, seed) for inner, interval in wanted]
    arguments += [(host, *each) for each in chaotic]
    made = tasks.run(simulate, arguments)
    rows: dict[tuple[str, int], Run] = dict(zip(wanted, made, strict=False))
    spread = [rows["bfifo", 100], *made[len(wanted) :]]
    return Study(
        "udp-backpressure",
        profiles.used(host, USED),
        _figures(rows),
        {},
        _checks(spread),
        (_intervals(rows), _spread(spread, seed)),
    )


def _figures(rows: Mapping[tuple[str, int], Run]) -> dict[tuple[str, str, str], Ours]:
    before, after, fifo = rows["sfq", 0], rows["sfq", 100], rows["bfifo", 100]
    fifo_before = rows["bfifo", 0]
    lost = "the 1.2 % that the document lost to senders spinning on the lock is not modelled"
    cost = "one send costs what the cost profile says"
    limit = "limit of bfifo chosen: the document does not state it"
    found = {
        ("sfq-before", "total throughput", "Mbits/s"): Ours(before.total(), EMERGENT, lost),
        ("sfq-before", "average drop rate", "%"): Ours(before.drops(), CALIBRATED, cost),
        ("sfq-after", "total throughput", "Mbits/s"): Ours(after.total(), EMERGENT),
        ("sfq-after", "average drop rate", "%"): Ours(after.drops(), EMERGENT),
        ("bfifo-after", "total throughput", "Mbits/s"): Ours(fifo.total(), EMERGENT),
        ("bfifo-after", "average drop rate", "%"): Ours(fifo.drops(), EMERGENT, limit),
    }
    for name, run, old in (("sfq", after, before), ("bfifo", fifo, fifo_before)):
        row = f"{name}-after"
        higher = 100 * (run.total() - old.total()) / old.total()
        lower = 100 * (old.drops() - run.drops()) / old.drops()
        found[row, "throughput change", "% higher"] = Ours(higher, EMERGENT, lost)
        found[row, "drop rate change", "% lower"] = Ours(lower, EMERGENT)
    each = [fifo.rate(flow) for flow in range(len(fifo.payload))]
    phase = "depends on how the senders start"
    found["bfifo-after", "per-flow throughput minimum", "Mbits/s"] = Ours(
        min(each), EMERGENT, phase
    )
    found["bfifo-after", "per-flow throughput maximum", "Mbits/s"] = Ours(
        max(each), EMERGENT, phase
    )
    derived = "total throughput before (derived 486.4/1.0087)"
    found["bfifo-after", derived, "Mbits/s"] = Ours(fifo_before.total(), EMERGENT, lost)
    derived = "average drop rate before (derived 0.41/(1-0.9958))"
    found["bfifo-after", derived, "%"] = Ours(fifo_before.drops(), CALIBRATED, cost)
    for row, run in (("sfq-before", before), ("sfq-after", after), ("bfifo-after", fifo)):
        found |= _clients(row, run)
    return found


def _clients(row: str, run: Run) -> dict[tuple[str, str, str], Ours]:
    """Return our first flows beside the client lines that the document shows."""
    found = {}
    for flow in range(SHOWN):
        line = f"client line {flow + 1}"
        values = {
            ("transferred", "MBytes"): Fraction(run.payload[flow], 1 << 20),
            ("throughput", "Mbits/s"): run.rate(flow),
            ("jitter", "ms"): Fraction(run.jitter[flow], MS),
            ("lost", "datagrams"): Fraction(run.lost[flow]),
            ("sent", "datagrams"): Fraction(run.sent[flow]),
            ("drop rate", "%"): Fraction(100 * run.lost[flow], run.sent[flow]),
        }
        for (metric, unit), value in values.items():
            found[row, f"{line}: {metric}", unit] = Ours(value, EMERGENT, "one flow of ours")
    return found


def _checks(spread: Sequence[Run]) -> list[Check]:
    ratios = [max(run.payload) / min(run.payload) for run in spread]
    worst = min(ratios)
    return [
        Check(
            f"bfifo: the fastest flow has at least twice the slowest in each of {len(spread)} "
            f"seeds (least: {worst:.1f} times)",
            worst >= 2,
        )
    ]


def _intervals(
    rows: Mapping[tuple[str, int], Run],
) -> tuple[str, list[str], list[list[str]]]:
    header = ["inner", "interval", "total Mbit/s", "slowest", "fastest", "drops %"]
    table = [
        [
            inner,
            f"{interval} ms" if interval else "off",
            f"{float(run.total()):.1f}",
            f"{float(min(run.rate(flow) for flow in range(len(run.payload)))):.1f}",
            f"{float(max(run.rate(flow) for flow in range(len(run.payload)))):.1f}",
            f"{float(run.drops()):.2f}",
        ]
        for (inner, interval), run in rows.items()
    ]
    return "by interval (the RFC's own table has 9.28, 1.1, 0.13 % for sfq)", header, table


def _spread(spread: Sequence[Run], seed: int) -> tuple[str, list[str], list[list[str]]]:
    table = [
        [
            str(seed + number),
            f"{float(min(run.rate(flow) for flow in range(len(run.payload)))):.1f}",
            f"{float(max(run.rate(flow) for flow in range(len(run.payload)))):.1f}",
            f"{float(run.drops()):.3f}",
        ]
        for number, run in enumerate(spread)
    ]
    return "bfifo by seed", ["seed", "slowest Mbit/s", "fastest Mbit/s", "drops %"], table


def report(rows: FilePath | None, seed: int, repeat: int | None, as_json: bool) -> int:
    """Run and print it; see `tcc.experiments.command.report`."""
    return command.report(study, rows, seed, repeat, json=as_json)
