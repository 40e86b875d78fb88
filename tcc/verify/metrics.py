"""What a requirement asks of a run, as a number: one function for each metric of the language.

Every function takes a `Question` and returns an exact value, or None where nothing measures it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcc.ir import Requirement
from tcc.units import NS_PER_S
from tcc.verify.measured import Delays, DirectionMeasure, FlowMeasure, Measured
from tcc.verify.scenario import Flow, Scenario

ETHERNET_HEADER = 14
SEGMENT, TCP_HEADERS, UDP_HEADERS = 1448, 52, 28
UDP_PAYLOAD = 1470

Pair = tuple[Flow, FlowMeasure]


@dataclass(frozen=True, slots=True)
class Question:
    """A requirement put to one run.

    Attributes:
        requirement: what is required.
        scenario: what was run.
        measured: what came out.
        direction: `egress` or `ingress`; None for what goes both ways, such as a round trip.
    """

    requirement: Requirement
    scenario: Scenario
    measured: Measured
    direction: str | None = None

    @property
    def pairs(self) -> list[Pair]:
        """Return the subject's flows, each with what was measured of it."""
        both = zip(self.scenario.flows, self.measured.flows, strict=True)
        return [pair for pair in both if is_subject(self.requirement.subject, pair[0])]

    @property
    def load(self) -> list[Pair]:
        """Return the subject's transfers whose data goes in the direction asked for."""
        return [pair for pair in self.pairs if pair[0].direction == self.direction]

    @property
    def link(self) -> DirectionMeasure | None:
        """Return what was measured of the direction asked for."""
        return self.measured.directions.get(self.direction or "")

    def per_second(self, octets: int) -> Fraction:
        """Return bytes of the measured time as bit/s."""
        return Fraction(octets * 8 * NS_PER_S, max(1, self.measured.duration))


Metric = Callable[[Question], Fraction | None]


def is_subject(subject: str | None, flow: Flow) -> bool:
    """Whether a requirement on `subject` is about a flow."""
    if subject in (None, "flow", "host"):
        return True
    if subject == "ping":
        return flow.kind == "ping"
    return subject in (flow.tier, flow.part, flow.workload)


# ------------------------------------------------------------------ round trips


def _worst_delay(asked: Question, idle: int) -> Fraction | None:
    """Return the required statistic of the probe that fared worst."""
    statistic = asked.requirement.statistic or "mean"
    delays = [
        one.round_trip.get(statistic) - (flow.rtt or idle if idle else 0)
        for flow, one in asked.pairs
        if flow.kind in ("ping", "voip") and one.round_trip.samples
    ]
    return Fraction(max(delays)) if delays else None


def _latency(asked: Question) -> Fraction | None:
    return _worst_delay(asked, 0)


def _induced(asked: Question) -> Fraction | None:
    return _worst_delay(asked, asked.scenario.rtt)


def _mos(asked: Question) -> Fraction | None:
    """Return the score of the worst call."""
    scores = [one.mos for _, one in asked.pairs if one.mos is not None]
    return Fraction(min(scores), 1000) if scores else None


ROUND_TRIPS: dict[str, Metric] = {
    "latency": _latency,
    "induced-latency": _induced,
    "mos": _mos,
}


# ------------------------------------------------------------------ one direction


def _goodput(asked: Question) -> Fraction | None:
    load, statistic = asked.load, asked.requirement.statistic
    if not load:
        return None
    if statistic is None or statistic == "mean":
        return Fraction(sum(one.goodput for _, one in load))
    seconds = sorted(map(sum, zip(*(one.series for _, one in load), strict=True)))
    return Fraction(_quantile(seconds, statistic)) if seconds else None


def _quantile(ordered: Sequence[int], statistic: str) -> int:
    """Return a statistic of a few values in ascending order."""
    share = {"median": Fraction(1, 2), "max": Fraction(1)}.get(statistic)
    if share is None:
        share = Fraction(statistic.removeprefix("p")) / 100
    place = min(len(ordered) - 1, int(share * len(ordered)))
    return ordered[place]


def _throughput(asked: Question) -> Fraction | None:
    """Layer 3: of everything that left the qdisc, or of the subject's flows with their headers."""
    if asked.requirement.subject is None:
        one = asked.link
        return asked.per_second(one.octets - ETHERNET_HEADER * one.packets) if one else None
    if not asked.load:
        return None
    return asked.per_second(sum(_layer_3(flow, one.payload) for flow, one in asked.load))


def _layer_3(flow: Flow, payload: int) -> int:
    """Return the bytes of the IP packets that carry `payload` bytes of a flow."""
    size, headers = (
        (SEGMENT, TCP_HEADERS) if flow.kind == "tcp" else (flow.payload or UDP_PAYLOAD, UDP_HEADERS)
    )
    return payload + -(-payload // size) * headers


def _utilisation(asked: Question) -> Fraction | None:
    one, shaped = asked.link, asked.scenario.shaped(asked.direction or "")
    bandwidth = shaped.wish.shaping.bandwidth if shaped else None
    if one is None or bandwidth is None or not isinstance(bandwidth.rate, int):
        return None
    return asked.per_second(one.framed) / bandwidth.rate


def _sojourn(asked: Question) -> Fraction | None:
    one = asked.link
    if one is None:
        return None
    statistic = asked.requirement.statistic or "mean"
    if asked.requirement.subject is None:
        waited = [one.sojourn]
    else:
        labels = {label(flow) for flow, _ in asked.pairs}
        waited = [delays for name, delays in one.parts.items() if name in labels]
    values = [delays.get(statistic) for delays in waited if delays.samples]
    return Fraction(max(values)) if values else None


def label(flow: Flow) -> str:
    """Return the name under which the time in the queue of a flow is measured."""
    return "/".join((flow.workload, flow.part, flow.tier or "", flow.kind))


def _loss(asked: Question) -> Fraction | None:
    """Lost probes and datagrams of the subject; of everything, the packets dropped."""
    if asked.requirement.subject is None:
        one = asked.link
        return None if one is None else _share(one.drops, one.drops + one.packets)
    counted = [
        pair
        for pair in asked.pairs
        if pair[0].kind != "tcp" and pair[0].direction in (None, asked.direction)
    ]
    if not counted:
        return None
    return _share(sum(map(lost_of, counted)), sum(one.offered for _, one in counted))


def lost_of(pair: Pair) -> int:
    """Return how many of a flow's probes or datagrams were lost, of those sent meanwhile.

    A queue longer than the measured time hands over none of what was sent in it, so that no
    datagram is missing yet. Those that the qdisc dropped meanwhile are lost, whenever sent: over
    time as many as are dropped of those sent.
    """
    flow, one = pair
    return min(one.offered, max(one.lost, one.drops or 0)) if flow.kind == "udp" else one.lost


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


def _marks(asked: Question) -> Fraction | None:
    one = asked.link
    if one is None:
        return None
    share = asked.requirement.ratio is not None
    return _share(one.marks, one.packets) if share else Fraction(one.marks)


def _fairness(asked: Question) -> Fraction | None:
    """Jain's index of the goodputs of flows, or of the sums of each host's."""
    shares: dict[int, int] = {}
    for number, (flow, one) in enumerate(asked.load):
        key = flow.host if asked.requirement.subject == "host" else number
        shares[key] = shares.get(key, 0) + one.goodput
    return jain(list(shares.values())) if shares else None


def jain(shares: Sequence[int]) -> Fraction:
    """Return Jain's fairness index: 1 for equal shares, 1/n when one has everything."""
    squares = sum(share * share for share in shares)
    return Fraction(sum(shares) ** 2, len(shares) * squares) if squares else Fraction(0)


ONE_WAY: dict[str, Metric] = {
    "goodput": _goodput,
    "throughput": _throughput,
    "utilisation": _utilisation,
    "sojourn": _sojourn,
    "loss": _loss,
    "marks": _marks,
    "fairness": _fairness,
}


def delays_of(ordered: Sequence[int]) -> Delays:
    """Return the statistics of samples in ascending order (ns)."""
    if not ordered:
        return Delays()
    values = [_quantile(ordered, name) for name in ("median", "p95", "p99", "p99.9", "max")]
    return Delays(len(ordered), sum(ordered) // len(ordered), *values)
