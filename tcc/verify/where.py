"""Where the time or the loss went: a missed requirement in plain sentences.

Delays are split by their means, the only statistic whose parts add up: what the probes waited in
either qdisc was measured there, and so it was in the device or at a second bottleneck where a
testbed has one; the rest of what was added to the idle round trip happened on the way.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tcc.units import NS_PER_S, format_rate
from tcc.verify.judge import Verdict, in_words
from tcc.verify.measured import DirectionMeasure, FlowMeasure, Measured
from tcc.verify.metrics import ROUND_TRIPS, is_subject, label, lost_of
from tcc.verify.scenario import Flow, Scenario

PROBES = ("ping", "voip")
NEEDS = {
    "mos": "a call (`voip 1 call` in the workload)",
    "latency": "a ping or a call in the workload",
    "induced-latency": "a ping or a call in the workload",
    "goodput": "a transfer in that direction",
    "throughput": "a transfer in that direction",
    "fairness": "transfers in that direction",
    "loss": "a ping, a call or UDP in that direction",
}
"""What a workload must have for a metric; the others need a qdisc alone."""
OTHER = {"egress": "ingress", "ingress": "egress"}
BUSY = Fraction(97, 100)
"""Of the rate, above which a shaper has nothing left to give."""
MOST_OF_IT = Fraction(3, 4)
"""Of the bytes, above which a transmit queue is said to carry the load."""
WAITING = 1_000_000
"""ns of median waiting above which senders did keep a queue busy."""


def where(scenario: Scenario, measured: Measured, verdict: Verdict) -> list[str]:
    """Return sentences on what a missed requirement was lost to; none when nothing is known."""
    metric = scenario.objective.require[verdict.index].metric
    if verdict.measured is None:
        return [_nothing(scenario, measured, verdict)]
    if metric in ROUND_TRIPS:
        return list(_delay(scenario, measured, verdict))
    if metric == "loss":
        return list(_loss(scenario, measured, verdict))
    if metric in ("goodput", "throughput", "utilisation"):
        return list(_rate(scenario, measured, verdict))
    if metric == "fairness":
        return list(_shares(scenario, measured, verdict))
    if metric == "marks":
        return list(_marks(scenario, measured, verdict))
    return []


def _nothing(scenario: Scenario, measured: Measured, verdict: Verdict) -> str:
    """Say why there was nothing to judge."""
    metric = scenario.objective.require[verdict.index].metric
    kinds = ("voip",) if metric == "mos" else PROBES
    asked = [flow for flow, _ in _subjects(scenario, measured, verdict) if flow.kind in kinds]
    if metric in ROUND_TRIPS and asked:
        return "no probe came back"
    needs = NEEDS.get(metric, "a direction that is shaped")
    return f"nothing measures it: {metric} needs {needs}"


def _subjects(
    scenario: Scenario, measured: Measured, verdict: Verdict
) -> list[tuple[Flow, FlowMeasure]]:
    subject = scenario.objective.require[verdict.index].subject
    pairs = zip(scenario.flows, measured.flows, strict=True)
    return [(flow, one) for flow, one in pairs if is_subject(subject, flow)]


# ------------------------------------------------------------------ time


def _delay(scenario: Scenario, measured: Measured, verdict: Verdict) -> Iterator[str]:
    probes = [
        (flow, one)
        for flow, one in _subjects(scenario, measured, verdict)
        if flow.kind in PROBES and one.round_trip.samples
    ]
    flow, worst = max(probes, key=lambda pair: pair[1].round_trip.mean)
    added = worst.round_trip.mean - (flow.rtt or scenario.rtt)
    shares = [
        (f"in the {direction} {_kind(scenario, direction)}", one.parts[label(flow)].mean)
        for direction, one in measured.directions.items()
        if label(flow) in one.parts
    ]
    shares += [
        (place, waited[label(flow)])
        for place, waited in measured.elsewhere.items()
        if label(flow) in waited
    ]
    if shares:
        rest = added - sum(share for _, share in shares)
        shares.append(("on the way", max(0, rest)))
        said = ", ".join(f"{_ms(share)} {place}" for place, share in shares)
        yield f"of {_ms(added)} added to a round trip on average: {said}"
    else:
        yield f"{_ms(added)} were added to a round trip on average"
    if worst.lost:
        yield f"{worst.lost} of {worst.offered} probes were lost"


def _kind(scenario: Scenario, direction: str) -> str:
    shaped = scenario.shaped(direction)
    if shaped is None:
        return "queue"
    inner = f" ({shaped.children[0].kind} inside)" if shaped.children else ""
    return f"{shaped.kind}{inner}"


def _ms(duration: int) -> str:
    return f"{duration / 1e6:.2f}ms"


# ------------------------------------------------------------------ loss


def _loss(scenario: Scenario, measured: Measured, verdict: Verdict) -> Iterator[str]:
    direction = verdict.direction or "egress"
    requirement = scenario.objective.require[verdict.index]
    if requirement.subject is not None:
        counted = [
            pair
            for pair in _subjects(scenario, measured, verdict)
            if pair[0].kind != "tcp" and pair[0].direction in (None, direction)
        ]
        yield from _places(counted)
    yield from _reasons(scenario, measured, direction)


def _places(counted: Sequence[tuple[Flow, FlowMeasure]]) -> Iterator[str]:
    """Say where a subject's packets were lost, where they are counted by flow."""
    lost = sum(map(lost_of, counted))
    drops = [one.drops for _, one in counted if one.drops is not None]
    if len(drops) < len(counted):
        yield f"{lost} were lost, of {sum(one.offered for _, one in counted)}"
        return
    dropped = min(lost, sum(drops))
    yield (
        f"of {lost} lost, {dropped} were dropped by the qdiscs and {lost - dropped} "
        "beyond the shaper"
    )


def _reasons(scenario: Scenario, measured: Measured, direction: str) -> Iterator[str]:
    one = measured.directions.get(direction)
    if one is not None and one.drops:
        said = ", ".join(f"{count} {name}" for name, count in sorted(one.reasons.items()) if count)
        since = f" (since the start: {said})" if said else ""
        yield f"the {direction} {_kind(scenario, direction)} dropped {one.drops}{since}"


def _marks(scenario: Scenario, measured: Measured, verdict: Verdict) -> Iterator[str]:
    direction = verdict.direction or "egress"
    one = measured.directions.get(direction)
    if one is None:
        return
    yield (
        f"the {direction} {_kind(scenario, direction)} marked {one.marks} of {one.packets} packets "
        f"and dropped {one.drops}"
    )
    transfers = [one for one in scenario.flows if (one.kind, one.direction) == ("tcp", direction)]
    able = sum(flow.ecn for flow in transfers)
    yield f"of {len(transfers)} TCP transfers {able} use ECN: what does not is dropped instead"


# ------------------------------------------------------------------ shares


def _shares(scenario: Scenario, measured: Measured, verdict: Verdict) -> Iterator[str]:
    """Say who had least and who had most."""
    by_host = scenario.objective.require[verdict.index].subject == "host"
    shares: dict[int, int] = {}
    for number, (flow, one) in enumerate(_subjects(scenario, measured, verdict)):
        if flow.direction == verdict.direction:
            key = flow.host if by_host else number
            shares[key] = shares.get(key, 0) + one.goodput
    ordered = sorted(shares.items(), key=lambda share: share[1])
    what = "host" if by_host else "flow"
    (least, low), (most, high) = ordered[0], ordered[-1]
    yield (
        f"of {len(ordered)} {what}s, {what} {least} had least, {in_words(Fraction(low), 'rate')}, "
        f"and {what} {most} most, {in_words(Fraction(high), 'rate')}"
    )


# ------------------------------------------------------------------ rate


def _rate(scenario: Scenario, measured: Measured, verdict: Verdict) -> Iterator[str]:
    direction = verdict.direction or "egress"
    one, rate = measured.directions.get(direction), bandwidth_of(scenario, direction)
    if one is not None and rate is not None:
        passed = Fraction(one.framed * 8 * NS_PER_S, max(1, measured.duration))
        kind = f"the {direction} {_kind(scenario, direction)}"
        said = f"{kind} passed {in_words(passed, 'rate')} of its {format_rate(rate)}"
        if passed >= BUSY * rate:
            yield f"{said}, framing included: {_spent(scenario, measured, direction, verdict)}"
        elif not one.sojourn.samples:
            yield said
        elif (waited := _waited(scenario, one, direction)) < WAITING:
            yield f"{said}: the senders left its queue empty half of the time"
        else:
            yield f"{said}, with {_ms(waited)} waiting in its queue"
        if passed < BUSY * rate:
            yield from _queues(one.queues)
    yield from _beyond(scenario, direction, rate)
    yield from _acknowledgements(scenario, measured, direction)
    yield from _reasons(scenario, measured, direction)


def _waited(scenario: Scenario, one: DirectionMeasure, direction: str) -> int:
    """Return the median time in the queue of the transfers; of everything, if there are none."""
    labels = {label(flow) for flow in scenario.flows if flow.direction == direction}
    of_load = [one.parts[name] for name in labels if name in one.parts]
    return max((delays.median for delays in of_load if delays.samples), default=one.sojourn.median)


def _queues(queues: Sequence[int]) -> Iterator[str]:
    """Say when one of the transmit queues of cake_mq had nearly all to send."""
    whole = sum(queues)
    if not whole or max(queues) < MOST_OF_IT * whole:
        return
    one = f"one of {len(queues)} transmit queues sent"
    if sum(1 for octets in queues if octets) == 1:
        yield f"{one} it all: a flow, and so all of a tunnel, takes one queue and one processor"
    else:
        yield (
            f"{one} {max(queues) * 100 // whole}% of it, but cake_mq gives every queue that sends "
            "the same share of the rate, however little it has"
        )


def _spent(scenario: Scenario, measured: Measured, direction: str, verdict: Verdict) -> str:
    """Say what a busy shaper spent its rate on."""
    subjects = {id(one) for _, one in _subjects(scenario, measured, verdict)}
    carried = [
        (id(one) in subjects, one.goodput)
        for flow, one in zip(scenario.flows, measured.flows, strict=True)
        if flow.direction == direction
    ]
    own = sum(goodput for mine, goodput in carried if mine)
    others = sum(goodput for mine, goodput in carried if not mine)
    rate = bandwidth_of(scenario, direction) or 0
    parts = [f"{in_words(Fraction(own), 'rate')} payload"]
    if others:
        parts.append(f"{in_words(Fraction(others), 'rate')} payload of other flows")
    rest = max(0, rate - own - others)
    parts.append(f"{in_words(Fraction(rest), 'rate')} headers, framing, ACKs and probes")
    return ", ".join(parts)


def _beyond(scenario: Scenario, direction: str, rate: int | None) -> Iterator[str]:
    beyond = scenario.testbed.beyond if scenario.testbed else None
    if beyond and (rate is None or rate > beyond):
        yield f"beyond the shaper the line carries no more than {format_rate(beyond)}"


def _acknowledgements(scenario: Scenario, measured: Measured, direction: str) -> Iterator[str]:
    """Say how long acknowledgements waited in the other direction, and what became of them."""
    labels = {
        label(flow) for flow in scenario.flows if flow.kind == "tcp" and flow.direction == direction
    }
    back: DirectionMeasure | None = measured.directions.get(OTHER[direction])
    if back is None:
        return
    waited = [back.parts[name] for name in labels if name in back.parts]
    longest = max((delays.mean for delays in waited if delays.samples), default=0)
    if longest > WAITING:
        yield (
            f"their acknowledgements waited {_ms(longest)} on average in the {OTHER[direction]} "
            f"{_kind(scenario, OTHER[direction])}, which dropped {back.drops} packets"
        )


def bandwidth_of(scenario: Scenario, direction: str) -> int | None:
    """Return the rate (bit/s) that a direction is shaped to; None for none."""
    shaped = scenario.shaped(direction)
    bandwidth = shaped.wish.shaping.bandwidth if shaped else None
    return bandwidth.rate if bandwidth is not None and isinstance(bandwidth.rate, int) else None
