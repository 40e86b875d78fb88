"""`split-gso-bql`: what splitting super-packets does to a NIC's byte queue limit, and to a ping.

The senders are the engine's TCP.  How long super-packets were on the document's host is a constant
of its profile (a range, and a ratio of pacing rate to delivered rate), because what the engine's
TCP makes by itself is longer; in the judged rows it bounds TCP's pace (`PacedSender`).  The rows
"as TCP makes them" go without, and those "of 7.3" also have what kernels since 5.18 add on a short
round trip.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, Any

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.fifo import Fifo
from tcc.engine.host import profiles
from tcc.engine.host.device import Device, Nic
from tcc.engine.host.paced import PacedSender
from tcc.engine.host.queues import Queues
from tcc.engine.pfifo_fast import PfifoFast
from tcc.engine.results import Watch
from tcc.engine.simulation import Path, Simulation
from tcc.engine.tcp.cubic import Cubic
from tcc.engine.tcp.receiver import Receiver
from tcc.experiments import command, tasks
from tcc.experiments.comparison import CALIBRATED, EMERGENT, Ours, Study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as FilePath

    from tcc.engine.path import Interface
    from tcc.engine.queue_disc import QueueDisc

HOST = "spaceheater-2018"
USED = (
    "link_bps",
    "frame_overhead_bytes",
    "tx_irq_interval_ns",
    "tx_irq_interval_ns_second_run",
    "base_rtt_ms",
    "pacing_to_delivery_ratio_k.0",
    "pacing_to_delivery_ratio_k.1",
    "tso_segments_range.0",
    "tso_segments_range.1",
    "tsq_refill_ns",
    "dql_hold_ms",
)
SECOND = 1_000_000_000
MS = 1_000_000
DURATION, WARMUP = 60 * SECOND, 5 * SECOND  # flent's
SHORT = 20 * SECOND
STEP = 200 * MS  # flent's
STREAMS = 4
STARTS = 20 * MS  # the streams start within this time
SEGMENT = 1448
MOST_SEGMENTS = 44
BESTEFFORT = 3
GIGABIT = 125_000_000  # bytes/s
LONE = 2  # the stream that has a transmit queue to itself
RINGS = (0, 0, 1, 0, 0)  # of the four streams and the ping
THRESHOLDS = (4, 16, 64)  # KiB
SEEDS = 5
REPEATED = ("never", "pfifo_fast")
PROFILED, PACED, PRESENT = "sizes of the profile", "as TCP makes them", "of 7.3"


@dataclass(frozen=True, slots=True)
class Run:
    """Byte queue limits, Mbit/s of each stream and by step, mean and median of the ping (ns)."""

    limits: tuple[int, ...]
    rates: tuple[Fraction, ...]
    series: tuple[tuple[Fraction, ...], ...]
    mean: int
    median: int
    objects: int
    stops: int


@dataclass(frozen=True, slots=True)
class Setup:
    """A row: what the qdisc does about super-packets."""

    qdisc: str = "cake"
    rate: int = 0
    split: bool = True
    up_to: int = 0
    above: int = 0
    interval: str = "tx_irq_interval_ns"
    tcp: str = PROFILED
    duration: int = SHORT


SETUPS = {
    "always": Setup(duration=DURATION),
    "always, second run": Setup(interval="tx_irq_interval_ns_second_run", duration=DURATION),
    "always, shaped to 1gbit": Setup(rate=GIGABIT),
    "never": Setup(split=False),
    "by flag, unshaped": Setup(up_to=GIGABIT),
    "by flag, shaped to 1gbit": Setup(rate=GIGABIT, up_to=GIGABIT),
    **{f"above {size} KiB": Setup(above=size * 1024) for size in THRESHOLDS},
    "pfifo_fast": Setup("pfifo_fast"),
    **{
        f"{name}, {tcp}": Setup(qdisc, split=split, tcp=tcp)
        for tcp in (PACED, PRESENT)
        for name, qdisc, split in (("never", "cake", False), ("pfifo_fast", "pfifo_fast", True))
    },
}


def simulate(host: Mapping[str, Any], setup: Setup, seed: int) -> Run:
    """Let four uploads and a ping run."""
    simulation = Simulation(seed, local=True)
    children, queues = _qdiscs(simulation, setup)
    root = children[0] if queues == 1 else Queues(simulation.pool, children)
    nic = Nic(
        host["link_bps"],
        host[setup.interval],
        refill=host["tsq_refill_ns"],
        hold=host["dql_hold_ms"] * MS,
        framing=host["frame_overhead_bytes"],
    )
    made: list[Device] = []

    def device(schedule: Any, qdisc: Any, following: Any, options: Any, veil: Any) -> Interface:  # noqa: ANN401
        made.append(Device(schedule, qdisc, children, following, options, queues, nic, None, veil))
        return made[0]

    rtt = round(host["base_rtt_ms"] * MS)
    simulation.link(root, Fifo(simulation.pool, 1 << 40), Path(rtt=rtt), device)
    for number in range(STREAMS):
        _add_tcp(simulation, rtt, number, _sizes(host, setup, number), setup.tcp)
    simulation.add_ping(keep=setup.duration // STEP + 1)
    if queues > 1:
        for flow, ring in enumerate(RINGS):
            made[0].place(flow, ring)
    result = simulation.run(setup.duration, WARMUP, STEP)
    trips = result.flows[STREAMS].samples
    counters = made[0].counters()
    return Run(
        tuple(int(limit.limit) for limit in made[0].byte_limits),
        tuple(Fraction(flow.payload * 8000, setup.duration) for flow in result.flows[:STREAMS]),
        tuple(
            tuple(Fraction(octets * 8000, STEP) for octets in flow.series)
            for flow in result.flows[:STREAMS]
        ),
        sum(trips) // len(trips),
        int(median(trips)),
        counters["objects"],
        counters["stops"],
    )


def _qdiscs(simulation: Simulation, setup: Setup) -> tuple[list[QueueDisc], int]:
    if setup.qdisc == "pfifo_fast":
        return [PfifoFast(simulation.pool, 1000) for _ in range(max(RINGS) + 1)], max(RINGS) + 1
    config = CakeConfig(
        rate=setup.rate,
        tins=BESTEFFORT,
        split_gso=setup.split,
        split_up_to=setup.up_to,
        split_above=setup.above,
    )
    return [Cake(simulation.pool, simulation.random(8), config)], 1


def _sizes(host: Mapping[str, Any], setup: Setup, number: int) -> tuple[int, int]:
    """Return the least and most segments of a stream's super-packets.

    CAKE gives every stream a quarter of the link: the profile has the range.  Under pfifo_fast a
    stream's share is that of its transmit queue.
    """
    if setup.qdisc == "cake":
        low, high = host["tso_segments_range"]
        return low, high
    sharing = 1 if number == LONE else RINGS[:STREAMS].count(RINGS[0])
    share = Fraction(host["link_bps"], 8 * (max(RINGS) + 1) * sharing)
    share *= Fraction(SEGMENT, SEGMENT + 66 + host["frame_overhead_bytes"])
    ratios = [Fraction(str(one)) for one in host["pacing_to_delivery_ratio_k"]]
    ratio = sum(ratios, Fraction(0)) / len(ratios)
    segments = min(MOST_SEGMENTS, int(share * ratio / 1024 / SEGMENT))
    return segments, segments


def _add_tcp(
    simulation: Simulation, rtt: int, number: int, sizes: tuple[int, int], tcp: str
) -> None:
    """Add an upload, which starts within STARTS."""
    flow = len(simulation.flows)
    start = simulation.random(32 + number).draw_below(STARTS)
    sender = PacedSender(
        simulation.schedule,
        simulation.egress,
        flow,
        simulation.hashes(0, 0, flow, True),
        Cubic(),
        simulation.options,
        simulation.random(16 + flow),
        local=True,
    )
    sender.sizes_by_rtt = tcp == PRESENT
    if tcp == PROFILED:
        sender.bound(simulation.random(48 + number), *sizes)
    receiver = Receiver(
        simulation.schedule,
        simulation.wire_down,
        flow,
        simulation.hashes(0, 0, flow, False),
        simulation.options,
    )
    sender.open_at(start, rtt)
    receiver.open_at(start, rtt)
    watch = Watch("tcp", flow, "up", 0, 0, "", sender, receiver, start, None)
    simulation.join(watch, sender, receiver, None)


def study(seed: int = 1, host: Mapping[str, Any] | None = None) -> Study:
    """Run every row; those whose ping depends on how the streams start, with several seeds."""
    host = host or profiles.host(HOST)
    wanted = [(name, seed) for name in SETUPS]
    wanted += [(name, seed + more) for name in REPEATED for more in range(1, SEEDS)]
    made = tasks.run(simulate, [(host, SETUPS[name], each) for name, each in wanted])
    runs: dict[str, list[Run]] = {name: [] for name in SETUPS}
    for (name, _), run in zip(wanted, made, strict=True):
        runs[name].append(run)
    rows = {name: middle(each) for name, each in runs.items()}
    return Study(
        "split-gso-bql",
        profiles.used(host, USED),
        _figures(rows, {name: _range(runs[name]) for name in REPEATED}),
        {
            "bql-before": "the document does not say which qdisc this was read under",
            "attachments": "caps in file names of attachments; nothing to compute",
            "text": "a constant of the source, not a result",
            "rtt-remark": "the queue it was read with is not stated",
            "Ping (ms) ICMP data points": "of flent's own sampling",
            "TCP upload avg data points": "of flent's own sampling",
            "TCP upload sum data points": "of flent's own sampling",
            **{
                f"TCP upload::{stream} data points": "of flent's own sampling"
                for stream in range(1, STREAMS + 1)
            },
        },
        (),
        (_splitting(rows),),
    )


def middle(runs: Sequence[Run]) -> Run:
    """Return the run whose mean ping is the middle one."""
    return sorted(runs, key=lambda run: run.mean)[len(runs) // 2]


def _range(runs: Sequence[Run]) -> str:
    means = [run.mean / MS for run in runs]
    return f"; the middle of {len(runs)} seeds, {min(means):.2f} .. {max(means):.2f} ms"


SIZES = "the profile's sizes of super-packets"
ROWS = {
    "cake-unshaped-always-split": "always",
    "cake-unshaped-conditional-split": "never",
    "pfifo_fast": "pfifo_fast",
    "cake-unshaped-rate-flag-split": "always, second run",
}


def _figures(
    rows: Mapping[str, Run], ranges: Mapping[str, str]
) -> dict[tuple[str, str, str], Ours]:
    found: dict[tuple[str, str, str], Ours] = {}
    limit = ("byte_queue_limits/limit", "bytes")
    interval = "the NIC's interrupt interval was fitted to it"
    for row, name in (*ROWS.items(), ("bql-cake-1gbit-shaped-split", "always, shaped to 1gbit")):
        run = rows[name]
        if name != "pfifo_fast":
            note = SIZES if name == "never" else interval
            found[(row, *limit)] = Ours(Fraction(run.limits[0]), CALIBRATED, note)
    for row, name in ROWS.items():
        found |= _row(row, rows[name], name, ranges.get(name, ""))
    regression = rows["never"].mean - rows["always"].mean
    flagged = rows["always, second run"].mean - rows["always"].mean
    for what, value in (("conditional vs always", regression), ("rate flag vs always", flagged)):
        found["text", f"latency regression reported ({what})", "us"] = Ours(
            Fraction(value, 1000), EMERGENT
        )
    return found


def _row(row: str, run: Run, name: str, among: str) -> dict[tuple[str, str, str], Ours]:
    kind, note = EMERGENT, "given the profile's idle round trip"
    if name in ("pfifo_fast", "never"):
        kind, note = CALIBRATED, SIZES + among
    found = {
        (row, "Ping (ms) ICMP avg", "ms"): Ours(Fraction(run.mean, MS), kind, note),
        (row, "Ping (ms) ICMP median", "ms"): Ours(Fraction(run.median, MS), kind, note),
    }
    total = sum(run.rates, Fraction(0))
    sums = [sum(step, Fraction(0)) for step in zip(*run.series, strict=True)]
    center = median(sums)
    each = {"avg": (total / STREAMS, center / STREAMS), "sum": (total, center)}
    for number, rate in enumerate(run.rates):
        each[f":{number + 1}"] = (rate, median(run.series[number]))
    for series, values in each.items():
        label = f"TCP upload{':' if series.startswith(':') else ' '}{series}"
        for statistic, value in zip(("avg", "median"), values, strict=True):
            found[row, f"{label} {statistic}", "Mbits/s"] = Ours(value, EMERGENT)
    return found


def _splitting(rows: Mapping[str, Run]) -> tuple[str, Sequence[str], Sequence[Sequence[str]]]:
    header = ["super-packets", "limit", "ping mean ms", "median ms", "Mbit/s", "objects"]
    table = [
        [
            name,
            " ".join(str(limit) for limit in run.limits),
            f"{run.mean / MS:.3f}",
            f"{run.median / MS:.3f}",
            f"{float(sum(run.rates)):.1f}",
            str(run.objects),
        ]
        for name, run in rows.items()
    ]
    return "split always, never, by flag, by size; and pfifo_fast", header, table


def report(rows: FilePath | None, seed: int, repeat: int | None, as_json: bool) -> int:
    """Run and print it; see `tcc.experiments.command.report`."""
    return command.report(study, rows, seed, repeat, json=as_json)
