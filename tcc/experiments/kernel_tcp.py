"""TCP through the shapers, against the real kernel.

Each row is one run of Linux 7.3.4 in simulated time: a client, a router that shapes, and a server
with netem delay on its egress, all joined by veth; iperf3 flows and an ICMP echo every 20 ms. The
engine runs the same and must agree: goodput within 3 %, the median and the 95th percentile of the
induced ping latency within a factor of 1.3 or 1 ms, drops within 25 % or 10 packets; on nine rows
of ten, and no row beyond twice these bands. Nothing in it is fitted to the rows.

Rows with losses in slow start are chaotic: with another seed the kernel's own goodput differs by
up to 12 %. So the engine runs each row several times, with other hashes, and the median of each
figure is compared.  When the processes start is drawn as well, for a row that has no `starts`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.fifo import Fifo
from tcc.engine.fq_codel import FqCodel
from tcc.engine.sfq import Sfq
from tcc.engine.simulation import Path, Simulation
from tcc.engine.tbf import Pace, TokenBucket
from tcc.experiments import kernel_tcp_starts as starts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.results import Result

MS = 1_000_000
SECOND = 1_000_000_000
INNER = 0x100000  # handle 10:
BURST = 16 * 1024  # tbf burst 16k
LATENCY = 50  # tbf latency 50ms
RECEIVE_BUFFER = 4_009_152  # tcp_rmem of a machine with 512 MiB
CAKES: dict[str, dict[str, Any]] = {
    "cake_be": {"tins": 3},
    "cake_ds3": {"tins": 0},
    "cake_ds4": {"tins": 1},
    "cake_nosplit": {"tins": 3, "split_gso": False},
    "cake_ack": {"tins": 3, "ack_filter": 1},
}


@dataclass(frozen=True, slots=True)
class Figures:
    """What is compared of a run.

    Attributes:
        goodput: bit/s of all flows together.
        median: of the induced round trip (ns).
        p95: of the same.
        drops: packets that the qdisc towards the server dropped.
    """

    goodput: int
    median: int
    p95: int
    drops: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """A row of the table.

    Attributes:
        name: of the run.
        kernel: what Linux did.
        engine: what the engine did.
        misses: by figure, how far out it is, in hundredths of its band; up to 100 is inside.
        least: of each figure, the least of the engine's runs.
        most: the greatest.
    """

    name: str
    kernel: Figures
    engine: Figures
    misses: dict[str, int]
    least: Figures | None = None
    most: Figures | None = None

    @property
    def worst(self) -> int:
        """The figure that is farthest out, in hundredths of its band."""
        return max(self.misses.values())


def name_of(row: dict[str, Any]) -> str:
    """Return a row's name."""
    return (
        f"{row['kind']} {row['qdisc']} {row['rate_mbit']:g}mbit {row['rtt_ms']:g}ms "
        f"{row['flows']} {row['cc']}" + (" ecn" if row["ecn"] == 1 else "")
    )


def qdisc_of(simulation: Simulation, row: dict[str, Any], stream: int) -> QueueDisc:
    """Return the shaper of a row."""
    rate = int(row["rate_mbit"] * 1_000_000) // 8
    kind = row["qdisc"]
    random = simulation.random(stream)
    if kind in CAKES:
        return Cake(simulation.pool, random, CakeConfig(rate=rate, **CAKES[kind]))
    limit = rate * LATENCY // 1000 + BURST
    inner: QueueDisc = Fifo(simulation.pool, limit)
    if kind == "tbf_sfq":
        inner = Sfq(simulation.pool, random, handle=INNER)
    elif kind == "tbf_fq_codel":
        inner = FqCodel(simulation.pool, handle=INNER)
    elif kind != "tbf_bfifo":
        raise ValueError(f"a run with the qdisc {kind} is not known here")
    return TokenBucket(simulation.pool, inner, Pace(rate), BURST)


def build(row: dict[str, Any], seed: int) -> Simulation:
    """Return the network of a row, ready to run."""
    rtt = int(row["rtt_ms"] * MS)
    simulation = Simulation(seed)
    simulation.greatest_buffer = RECEIVE_BUFFER
    rrul = row["kind"] == "rrul"
    chance = simulation.random(10)
    egress = qdisc_of(simulation, row, 8)
    ingress = qdisc_of(simulation, row, 9) if rrul else Fifo(simulation.pool, 1 << 40)
    simulation.link(egress, ingress, Path(rtt, upstream=0))
    if rrul:  # both ways go by one packet's time, so what is due and what arrives meet
        simulation.egress.due_first = simulation.ingress.due_first = True
    starts.add_flows(simulation, row, chance)
    return simulation


def percentile(samples: Sequence[int], hundredths: int) -> int:
    """Return a percentile as the recorder took it: by rank, rounded down."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, hundredths * len(ordered) // 100)]


def engine_figures(row: dict[str, Any], result: Result) -> Figures:
    """Return the figures of the engine's run."""
    rtt = int(row["rtt_ms"] * MS)
    pings = result.flows[0].samples
    payload = sum(one.payload for one in result.flows if one.kind == "tcp")
    return Figures(
        payload * 8 // row["seconds"],
        max(0, percentile(pings, 50) - rtt),
        max(0, percentile(pings, 95) - rtt),
        result.egress.statistics["drops"],
    )


def kernel_figures(row: dict[str, Any]) -> Figures:
    """Return the figures of the kernel's run."""
    goodput = 0
    for one in row["tcp"].values():
        each = one["goodput_mbit"]
        goodput += round(1_000_000 * (sum(each) if isinstance(each, list) else each))
    idle = row["ping_idle_ms"]
    return Figures(
        goodput,
        max(0, round((row["ping_ms"]["p50"] - idle) * MS)),
        max(0, round((row["ping_ms"]["p95"] - idle) * MS)),
        row["qdisc_towards_server"][0]["drops"],
    )


def latency_miss(kernel: int, engine: int) -> int:
    """Return how far a latency is out: a factor of 1.3, or 1 ms."""
    apart = abs(kernel - engine)
    by_time = 100 * apart // MS
    low, high = min(kernel, engine), max(kernel, engine)
    if low == 0:
        return by_time
    return min(by_time, 1000 * (high - low) // (3 * low))


def compare(name: str, kernel: Figures, engine: Figures) -> Comparison:
    """Return a row of the table."""
    drops = abs(kernel.drops - engine.drops)
    by_share = 400 * drops // kernel.drops if kernel.drops else 1 << 30
    misses = {
        "goodput": 10000 * abs(engine.goodput - kernel.goodput) // (3 * kernel.goodput),
        "median": latency_miss(kernel.median, engine.median),
        "p95": latency_miss(kernel.p95, engine.p95),
        "drops": min(10 * drops, by_share),
    }
    return Comparison(name, kernel, engine, misses)


def run_once(row: dict[str, Any], seed: int) -> Figures:
    """Run a row on the engine."""
    simulation = build(row, seed)
    start = max(one.start for one in simulation.flows)
    return engine_figures(row, simulation.run(start + row["seconds"] * SECOND))


def run_row(row: dict[str, Any], seed: int = 1, repeat: int = 5) -> Comparison:
    """Run a row on the engine with several seeds, and compare the median of each figure."""
    runs = [run_once(row, seed + number) for number in range(repeat)]
    ordered = [
        sorted(getattr(one, name) for one in runs) for name in ("goodput", "median", "p95", "drops")
    ]
    least, middle, most = (
        Figures(*(figures[place] for figures in ordered)) for place in (0, repeat // 2, -1)
    )
    made = compare(name_of(row), kernel_figures(row), middle)
    return replace(made, least=least, most=most)


def held(rows: Sequence[Comparison]) -> bool:
    """Say whether nine rows of ten are inside the bands and none is beyond twice them."""
    inside = sum(row.worst <= 100 for row in rows)
    return 10 * inside >= 9 * len(rows) and all(row.worst <= 200 for row in rows)
