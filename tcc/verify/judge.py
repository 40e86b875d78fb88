"""Requirements against measurements: exact comparison, the margin, and what was compared.

A requirement without a direction must hold in every direction that has something to measure.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcc.ir import Requirement
from tcc.units import NS_PER_S, format_rate
from tcc.verify.measured import Delays, FlowMeasure, Measured
from tcc.verify.scenario import Flow, Scenario

DIRECTIONS = ("egress", "ingress")
ETHERNET_HEADER = 14
SEGMENT, TCP_HEADERS, UDP_HEADERS = 1448, 52, 28

Pair = tuple[Flow, FlowMeasure]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one requirement fared in one direction.

    Attributes:
        index: of the requirement in its objective.
        direction: `egress`, `ingress`, or None for a round trip.
        measured: exact; None when there was nothing to measure, which never holds.
        bound: what was required, in the same unit.
        holds: whether it held.
        unit: `rate`, `duration`, `ratio` or `count`.
    """

    index: int
    direction: str | None
    measured: Fraction | None
    bound: Fraction
    holds: bool
    unit: str

    @property
    def margin(self) -> Fraction | None:
        """How far the measurement is on the good side, as a share of the bound."""
        if self.measured is None or not self.bound:
            return None
        return (self.measured - self.bound) / self.bound


def judge(scenario: Scenario, measured: Measured) -> list[Verdict]:
    """Return the verdicts of one run, requirement by requirement."""
    return [
        verdict
        for index, requirement in enumerate(scenario.objective.require)
        for verdict in _verdicts(index, requirement, scenario, measured)
    ]


def missed_of(verdicts: Sequence[Verdict]) -> Iterator[list[Verdict]]:
    """Yield the verdicts of every requirement that was missed in some direction."""
    for index in sorted({one.index for one in verdicts if not one.holds}):
        yield [one for one in verdicts if one.index == index]


def bound_of(requirement: Requirement) -> tuple[str, Fraction]:
    """Return the unit and the value of a requirement's bound."""
    for unit in ("rate", "duration", "ratio", "count"):
        value = getattr(requirement, unit)
        if value is not None:
            return unit, Fraction(value)
    raise ValueError("a requirement has a bound")


def _verdicts(
    index: int, requirement: Requirement, scenario: Scenario, measured: Measured
) -> Iterator[Verdict]:
    unit, bound = bound_of(requirement)
    for direction, value in _values(requirement, scenario, measured):
        holds = value is not None and (
            value >= bound if requirement.comparison == ">=" else value <= bound
        )
        yield Verdict(index, direction, value, bound, holds, unit)


def _values(
    requirement: Requirement, scenario: Scenario, measured: Measured
) -> Iterator[tuple[str | None, Fraction | None]]:
    pairs = [
        pair
        for pair in zip(scenario.flows, measured.flows, strict=True)
        if is_subject(requirement.subject, pair[0])
    ]
    if requirement.metric in ROUND_TRIPS:
        yield None, ROUND_TRIPS[requirement.metric](requirement, scenario, pairs)
        return
    found = False
    for direction in (requirement.direction,) if requirement.direction else DIRECTIONS:
        value = ONE_WAY[requirement.metric](requirement, scenario, measured, direction, pairs)
        if value is not None or requirement.direction:
            found = True
            yield direction, value
    if not found:
        yield None, None


def is_subject(subject: str | None, flow: Flow) -> bool:
    """Whether a requirement on `subject` is about a flow."""
    if subject in (None, "flow", "host"):
        return True
    if subject == "ping":
        return flow.kind == "ping"
    return subject in (flow.tier, flow.part, flow.workload)


# ------------------------------------------------------------------ round trips


def _worst_delay(requirement: Requirement, pairs: Sequence[Pair], idle: int) -> Fraction | None:
    """Return the required statistic of the probe that fared worst."""
    statistic = requirement.statistic or "mean"
    delays = [
        one.round_trip.get(statistic) - (flow.rtt or idle if idle else 0)
        for flow, one in pairs
        if flow.kind in ("ping", "voip") and one.round_trip.samples
    ]
    return Fraction(max(delays)) if delays else None


def _latency(
    requirement: Requirement, scenario: Scenario, pairs: Sequence[Pair]
) -> Fraction | None:
    return _worst_delay(requirement, pairs, 0)


def _induced(
    requirement: Requirement, scenario: Scenario, pairs: Sequence[Pair]
) -> Fraction | None:
    return _worst_delay(requirement, pairs, scenario.rtt)


def _mos(requirement: Requirement, scenario: Scenario, pairs: Sequence[Pair]) -> Fraction | None:
    """Return the score of the worst call."""
    scores = [one.mos for _, one in pairs if one.mos is not None]
    return Fraction(min(scores), 1000) if scores else None


ROUND_TRIPS: dict[str, Callable[[Requirement, Scenario, Sequence[Pair]], Fraction | None]] = {
    "latency": _latency,
    "induced-latency": _induced,
    "mos": _mos,
}


# ------------------------------------------------------------------ one direction


def _load(pairs: Sequence[Pair], direction: str) -> list[Pair]:
    """Return the transfers whose data goes in `direction`."""
    return [pair for pair in pairs if pair[0].direction == direction]


def _goodput(
    requirement: Requirement,
    scenario: Scenario,
    measured: Measured,
    direction: str,
    pairs: Sequence[Pair],
) -> Fraction | None:
    load = _load(pairs, direction)
    if not load:
        return None
    if requirement.statistic is None or requirement.statistic == "mean":
        return Fraction(sum(one.goodput for _, one in load))
    seconds = sorted(map(sum, zip(*(one.series for _, one in load), strict=True)))
    return Fraction(_quantile(seconds, requirement.statistic)) if seconds else None


def _quantile(ordered: Sequence[int], statistic: str) -> int:
    """Return a statistic of a few values in ascending order."""
    share = {"median": Fraction(1, 2), "max": Fraction(1)}.get(statistic)
    if share is None:
        share = Fraction(statistic.removeprefix("p")) / 100
    place = min(len(ordered) - 1, int(share * len(ordered)))
    return ordered[place]


def _throughput(
    requirement: Requirement,
    scenario: Scenario,
    measured: Measured,
    direction: str,
    pairs: Sequence[Pair],
) -> Fraction | None:
    """Layer 3: of everything that left the qdisc, or of the subject's flows with their headers."""
    if requirement.subject is None:
        one = measured.directions.get(direction)
        if one is None:
            return None
        octets = one.octets - ETHERNET_HEADER * one.packets
        return Fraction(octets * 8 * NS_PER_S, max(1, measured.duration))
    load = _load(pairs, direction)
    total = sum(_layer_3(flow, of_flow.payload) for flow, of_flow in load)
    return Fraction(total * 8 * NS_PER_S, max(1, measured.duration)) if load else None


def _layer_3(flow: Flow, payload: int) -> int:
    """Return the bytes of the IP packets that carry `payload` bytes of a flow."""
    size, headers = (
        (SEGMENT, TCP_HEADERS) if flow.kind == "tcp" else (flow.payload or 1470, UDP_HEADERS)
    )
    return payload + -(-payload // size) * headers


def _utilisation(
    requirement: Requirement,
    scenario: Scenario,
    measured: Measured,
    direction: str,
    pairs: Sequence[Pair],
) -> Fraction | None:
    one, shaped = measured.directions.get(direction), scenario.shaped(direction)
    bandwidth = shaped.wish.shaping.bandwidth if shaped else None
    if one is None or bandwidth is None or not isinstance(bandwidth.rate, int):
        return None
    return Fraction(one.framed * 8 * NS_PER_S, max(1, measured.duration) * bandwidth.rate)


def _sojourn(
    requirement: Requirement,
    scenario: Scenario,
    measured: Measured,
    direction: str,
    pairs: Sequence[Pair],
) -> Fraction | None:
    one = measured.directions.get(direction)
    if one is None:
        return None
    statistic = requirement.statistic or "mean"
    if requirement.subject is None:
        waited = [one.sojourn]
    else:
        labels = {label(flow) for flow, _ in pairs}
        waited = [delays for name, delays in one.parts.items() if name in labels]
    values = [delays.get(statistic) for delays in waited if delays.samples]
    return Fraction(max(values)) if values else None


def label(flow: Flow) -> str:
    """Return the name under which the time in the queue of a flow is measured."""
    return "/".join((flow.workload, flow.part, flow.tier or "", flow.kind))


def _loss(
    requirement: Requirement,
    scenario: Scenario,
    measured: Measured,
    direction: str,
    pairs: Sequence[Pair],
) -> Fraction | None:
    """Lost probes and datagrams of the subject; of everything, the packets dropped."""
    if requirement.subject is None:
        one = measured.directions.get(direction)
        return None if one is None else _share(one.drops, one.drops + one.packets)
    counted = [
        one
        for flow, one in pairs
        if flow.kind != "tcp" and (flow.direction is None or flow.direction == direction)
    ]
    if not counted:
        return None
    return _share(sum(one.lost for one in counted), sum(one.offered for one in counted))


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


def _marks(
    requirement: Requirement,
    scenario: Scenario,
    measured: Measured,
    direction: str,
    pairs: Sequence[Pair],
) -> Fraction | None:
    one = measured.directions.get(direction)
    if one is None:
        return None
    return _share(one.marks, one.packets) if requirement.ratio is not None else Fraction(one.marks)


def _fairness(
    requirement: Requirement,
    scenario: Scenario,
    measured: Measured,
    direction: str,
    pairs: Sequence[Pair],
) -> Fraction | None:
    """Jain's index of the goodputs of flows, or of the sums of each host's."""
    load = _load(pairs, direction)
    shares: dict[int, int] = {}
    for number, (flow, one) in enumerate(load):
        key = flow.host if requirement.subject == "host" else number
        shares[key] = shares.get(key, 0) + one.goodput
    return jain(list(shares.values())) if shares else None


def jain(shares: Sequence[int]) -> Fraction:
    """Return Jain's fairness index: 1 for equal shares, 1/n when one has everything."""
    squares = sum(share * share for share in shares)
    return Fraction(sum(shares) ** 2, len(shares) * squares) if squares else Fraction(0)


ONE_WAY: dict[
    str,
    Callable[[Requirement, Scenario, Measured, str, Sequence[Pair]], Fraction | None],
] = {
    "goodput": _goodput,
    "throughput": _throughput,
    "utilisation": _utilisation,
    "sojourn": _sojourn,
    "loss": _loss,
    "marks": _marks,
    "fairness": _fairness,
}


def in_words(value: Fraction | None, unit: str) -> str:
    """Print a measured or required value for people, to about four digits."""
    if value is None:
        return "nothing"
    if unit == "rate":
        step = 10 ** max(0, len(str(int(value))) - 4)
        return format_rate(round(value / step) * step)
    if unit == "duration":
        return f"{float(value) / 1e6:.4g}ms"
    if unit == "ratio":
        return f"{float(value) * 100:.4g}%"
    return str(round(value))


def delays_of(ordered: Sequence[int]) -> Delays:
    """Return the statistics of samples in ascending order (ns)."""
    if not ordered:
        return Delays()
    values = [_quantile(ordered, name) for name in ("median", "p95", "p99", "p99.9", "max")]
    return Delays(len(ordered), sum(ordered) // len(ordered), *values)
