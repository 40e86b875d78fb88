"""What a simulation reports: per flow, per direction, per part; integers throughout."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tcc.engine.probe import Probe
from tcc.engine.tcp.constants import SEGMENT
from tcc.engine.tcp.receiver import Receiver
from tcc.engine.tcp.sender import Sender
from tcc.engine.udp import UdpSender

if TYPE_CHECKING:
    from tcc.engine.measure import Histogram
    from tcc.engine.path import Interface
    from tcc.engine.simulation import Simulation
    from tcc.engine.sink import Endpoint

SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class FlowResult:
    """What was measured of one flow.

    Attributes:
        kind: tcp, udp, ping or voip.
        number: of the flow.
        direction: of its data: up, down or both.
        dscp: of its data.
        host: number of the client.
        part: what it was measured under.
        payload: bytes of payload delivered in order, of those that arrived while it was measured.
        goodput: bit/s of payload delivered.
        series: bytes of payload delivered in each interval.
        drops: packets that the qdiscs dropped, in both directions.
        offered: packets sent by its sender while it was measured, as segments.
        lost: probes or datagrams of the measured time that did not arrive.
        round_trip: of probes.
        up: one-way delay of probes or datagrams towards the servers.
        down: the other way.
        jitter: RFC 3550, (up, down), ns.
        mos: mean opinion score in thousandths, (up, down), of calls.
        samples: round trips kept one by one (ns).
        details: the sender's own counts.
        finished: when a finite transfer was acknowledged in full (ns); None if it was not.
    """

    kind: str
    number: int
    direction: str
    dscp: int
    host: int
    part: str
    payload: int
    goodput: int
    series: tuple[int, ...]
    drops: int
    offered: int
    lost: int
    round_trip: Histogram | None = None
    up: Histogram | None = None
    down: Histogram | None = None
    jitter: tuple[int, int] = (0, 0)
    mos: tuple[int, int] | None = None
    samples: tuple[int, ...] = ()
    details: dict[str, int] = field(default_factory=dict)
    finished: int | None = None


@dataclass(frozen=True, slots=True)
class DirectionResult:
    """What was measured of one direction.

    Attributes:
        packets: that left the qdisc.
        octets: their bytes as the qdisc counts them.
        framed: their bytes as the shaper counts them, framing included; 0 where none shapes.
        drops: packets that the qdisc dropped.
        drops_by_reason: since the beginning, warm-up included.
        marks: packets that the qdisc marked CE.
        sojourn: time in the queue.
        sojourns: the same by part.
        statistics: what `tc -s qdisc` would show, since the beginning.
    """

    packets: int
    octets: int
    framed: int
    drops: int
    drops_by_reason: dict[str, int]
    marks: int
    sojourn: Histogram
    sojourns: dict[str, Histogram]
    statistics: dict[str, int]


@dataclass(frozen=True, slots=True)
class Result:
    """What a simulation reports.

    Attributes:
        seed: of its random numbers.
        measured: time measured (ns).
        interrupted: Ctrl-C ended it early.
        flows: in the order in which they were added.
        egress: the direction of uploads.
        ingress: the direction of downloads.
        events: how many there were, warm-up included.
        segments: data segments that senders sent, warm-up included.
        packets_in_use: rows of the pool in use at the end.
    """

    seed: int
    measured: int
    interrupted: bool
    flows: tuple[FlowResult, ...]
    egress: DirectionResult
    ingress: DirectionResult
    events: int
    segments: int
    packets_in_use: int


class Watch:
    """One flow while the simulation runs."""

    def __init__(
        self,
        kind: str,
        number: int,
        direction: str,
        dscp: int,
        host: int,
        part: str,
        sender: Endpoint,
        receiver: Endpoint,
        start: int,
        stop: int | None,
    ) -> None:
        self.kind = kind
        self.number = number
        self.direction = direction
        self.dscp = dscp
        self.host = host
        self.part = part
        self.sender = sender
        self.receiver = receiver
        self.start = start
        self.stop = stop
        self.base = self.last = self.arrived = 0
        self.base_sent = 0
        self.series: list[int] = []

    def delivered(self) -> int:
        """Return the payload delivered so far, in order: what an application can read.

        What had arrived before the measured time counts as delivered then, although a hole may
        have held it back: filled later, it would show more than the line carries.
        """
        return max(int(getattr(self.receiver, "bytes", 0)), self.arrived)

    def sent(self) -> int:
        """Return the packets sent so far, as segments."""
        if isinstance(self.sender, Sender):
            return int(self.sender.sent_segments)
        return int(getattr(self.sender, "sent", 0))

    def begin(self, now: int, warmup: int) -> None:
        """Measure from now on."""
        if isinstance(self.receiver, Receiver):
            self.arrived = int(self.receiver.bytes + self.receiver.held_count * SEGMENT)
        self.base = self.last = self.delivered()
        if isinstance(self.sender, Probe):
            self.sender.measure(max(now, warmup))
        elif isinstance(self.sender, UdpSender):
            self.receiver.measure(max(now, warmup))  # type: ignore[attr-defined]
        self.base_sent = self.sent()

    def sample(self) -> None:
        """End an interval of the series."""
        now = self.delivered()
        self.series.append(now - self.last)
        self.last = now

    def end(self) -> None:
        """The application ends."""
        if isinstance(self.sender, Sender):
            self.sender.stop()

    def result(self, simulation: Simulation, measured: int) -> FlowResult:
        """Return what was measured."""
        payload = self.delivered() - self.base
        drops = simulation.egress.dropped(self.number) + simulation.ingress.dropped(self.number)
        common = (
            self.kind, self.number, self.direction, self.dscp, self.host, self.part,
            payload, payload * 8 * SECOND // measured if measured else 0,
            tuple(self.series), drops, self.sent() - self.base_sent,
        )  # fmt: skip
        if isinstance(self.sender, Probe):
            return probe_result(self.sender, common)
        if isinstance(self.sender, Sender):
            done = self.sender.finished_at
            details = self.sender.statistics()
            return FlowResult(*common, 0, details=details, finished=done if done >= 0 else None)
        # As iperf counts it: what is under way at the end is not lost.
        due = self.receiver.highest + 1 - self.base_sent  # type: ignore[attr-defined]
        lost = due - self.receiver.arrived  # type: ignore[attr-defined]
        delay = self.receiver.delay  # type: ignore[attr-defined]
        ways = {"up": delay} if self.direction == "up" else {"down": delay}
        jitter = int(self.receiver.jitter)  # type: ignore[attr-defined]
        return FlowResult(*common, max(0, lost), **ways, jitter=(jitter, jitter))


def probe_result(probe: Probe, common: tuple[object, ...]) -> FlowResult:
    """Return what a probe measured."""
    sent, answered = int(probe.sent), int(probe.answered)
    lost = max(0, sent - answered)
    kind = common[0]
    calls = None
    if kind == "voip" and answered:
        calls = (
            mean_opinion(probe.up.mean() + 2 * probe.jitter_up, lost, sent),
            mean_opinion(probe.down.mean() + 2 * probe.jitter_down, lost, sent),
        )
    return FlowResult(  # type: ignore[call-arg]
        *common,  # type: ignore[arg-type]
        lost,
        probe.round_trip,
        probe.up,
        probe.down,
        (int(probe.jitter_up), int(probe.jitter_down)),
        calls,
        tuple(probe.samples()),
    )


def mean_opinion(delay: int, lost: int, sent: int) -> int:
    """Return the mean opinion score of a G.711 call, in thousandths.

    The E-model of ITU-T G.107 with its defaults, packet loss concealment (G.113 appendix I: Ie 0,
    Bpl 25.1), random loss; R in millionths.

    Args:
        delay: one way, mouth to ear (ns).
        lost: packets lost.
        sent: packets sent.
    """
    loss = lost * 100_000_000 // sent if sent else 0  # millionths of a per cent
    impairment = 95 * loss * 1_000_000 // (loss + 25_100_000)
    impairment += 24 * delay // 1_000_000 * 1000
    if delay > 177_300_000:
        impairment += 110 * (delay - 177_300_000) // 1_000_000 * 1000
    r = 93_200_000 - impairment
    if r <= 0:
        return 1000
    if r >= 100_000_000:
        return 4500
    cubic = r * (r - 60_000_000) * (100_000_000 - r) * 7
    return 1000 + 35 * r // 1_000_000 + cubic // 10**21


def direction_result(interface: Interface, parts: dict[str, int], marked: int) -> DirectionResult:
    """Return what was measured of one direction, whose qdisc had marked so many packets before."""
    qdisc = interface.qdisc
    return DirectionResult(
        int(interface.sent),
        int(interface.sent_bytes),
        int(interface.framed_bytes),
        sum(interface.dropped(flow) for flow in range(interface.size)),
        qdisc.drops_by_reason(),
        qdisc.marked() - marked,
        interface.sojourn(),
        {part: interface.sojourns[number] for part, number in parts.items()},
        qdisc.statistics(),
    )


def report(
    simulation: Simulation, began: int, marked: tuple[int, int], interrupted: bool
) -> Result:
    """Return what a simulation measured since `began`, when its qdiscs had marked so many."""
    measured = int(simulation.schedule.now) - began
    return Result(
        simulation.seed,
        measured,
        interrupted,
        tuple(one.result(simulation, measured) for one in simulation.flows),
        direction_result(simulation.egress, simulation._groups, marked[0]),
        direction_result(simulation.ingress, simulation._groups, marked[1]),
        int(simulation.schedule.fired),
        sum(one.sent() for one in simulation.flows if isinstance(one.sender, Sender)),
        int(simulation.pool.used),
    )
