"""Requirements that no run can meet, found by arithmetic: refused before anything is simulated.

What the checks of `tcc lint` know for certain is asked of them. What they can only warn of,
because it depends on the packets that are sent, is decided here: a scenario says what is sent.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING

from tcc.checks.view import view_of
from tcc.checks.wire import on_wire
from tcc.diagnostics import Diagnostic, Severity, error
from tcc.ir import Requirement, Spans, WireSize, span_at, wire_size
from tcc.passes.built import Built
from tcc.units import NS_PER_S, format_duration, format_rate, time_for
from tcc.verify.metrics import SEGMENT, UDP_HEADERS, UDP_PAYLOAD, is_subject
from tcc.verify.scenario import Flow, Scenario
from tcc.verify.where import bandwidth_of

if TYPE_CHECKING:
    from tcc.facts import Facts

CERTAIN = (
    "objective-latency-below-path", "objective-rate-above-line", "objective-mos-above-codec",
)  # fmt: skip
PACKET = 1500
LINK_HEADER = 14
"""Bytes that the kernel counts of each packet where no framing is given."""
BEYOND_QUEUE = 262_144
"""Bytes that may wait beyond the shaper when the measurement begins."""
MANY = 40
"""Probes of which one or more surely come at a bad moment."""
CALL_INTERVAL = 20_000_000
"""ns between the packets of a call."""
TAILS = ("p99", "p99.9", "max")
SHARES = {
    "diffserv3": {"bulk": 16, "voice": 4},
    "diffserv4": {"bulk": 16, "video": 2, "voice": 4},
}
"""The rate over the threshold of a tin (cake_config_diffserv3(), cake_config_diffserv4())."""


def refusals(
    built: Built, scenarios: Sequence[Scenario], facts: "Facts | None" = None
) -> list[Diagnostic]:
    """Return an error for each requirement that arithmetic alone rules out.

    Found: `objective-rate-above-line`, `objective-latency-below-path`,
    `objective-latency-below-packet`, `objective-mos-above-codec`, `objective-above-tin-share`,
    `objective-above-capacity`, `objective-above-load`.
    """
    view = view_of(built, facts, None)
    found: list[Diagnostic] = []
    for code in CERTAIN:
        for item in import_module(f"tcc.checks.{code.replace('-', '_')}").check(view):
            if item.severity is Severity.ERROR:
                found.append(item)
    taken = {item.span for item in found}
    for scenario in scenarios:
        for item in _of_scenario(scenario, built.spans):
            if item.span not in taken:
                taken.add(item.span)
                found.append(item)
    return found


def _of_scenario(scenario: Scenario, spans: Spans) -> Iterator[Diagnostic]:
    for number, requirement in enumerate(scenario.objective.require):
        path = ("objectives", scenario.index, "require", number)
        rules = RULES.get((requirement.metric, requirement.comparison), ())
        for rule in rules:
            found = next(rule(scenario, requirement), None)
            if found is not None:
                code, message, hints = found
                bound = "rate" if requirement.rate is not None else "duration"
                bound = "ratio" if requirement.ratio is not None else bound
                yield error(code, span_at(spans, (*path, bound)), message, *hints)
                break


Found = Iterator[tuple[str, str, tuple[str, ...]]]


def _directions(requirement: Requirement) -> tuple[str, ...]:
    return (requirement.direction,) if requirement.direction else ("egress", "ingress")


def _load(scenario: Scenario, requirement: Requirement, direction: str) -> list[Flow]:
    return [
        flow
        for flow in scenario.flows
        if flow.direction == direction and is_subject(requirement.subject, flow)
    ]


# ------------------------------------------------------------------ rates


def _too_much(scenario: Scenario, requirement: Requirement) -> Found:
    """More payload, or more layer 3, than the rate leaves after headers and framing."""
    for direction in _directions(requirement):
        line = _line(scenario, direction)
        load = _load(scenario, requirement, direction)
        if line is None or requirement.rate is None or not load:
            continue
        rate, wire, what = line
        packet, counted = max(
            (_packet(flow, requirement.metric) for flow in load),
            key=lambda one: Fraction(one[1], _size(one[0], wire)),
        )
        most = rate * counted // _size(packet, wire)
        spare = _in_flight(scenario, direction, rate)
        if requirement.rate > most + spare:
            yield (
                "objective-rate-above-line",
                f"{format_rate(requirement.rate)} cannot come out of {what} of {format_rate(rate)}",
                (
                    f"of {_size(packet, wire)} bytes that each packet takes, {counted} are "
                    f"{'payload' if requirement.metric == 'goodput' else 'layer 3'}: "
                    f"{format_rate(rate)} x {counted} / {_size(packet, wire)} = "
                    f"{format_rate(most - most % 1000)}",
                    "write a lower bound, or require `utilisation`, which counts framing too",
                ),
            )
            return


def _more_than_sent(scenario: Scenario, requirement: Requirement) -> Found:
    """More than UDP senders send, who do so at rates of their own."""
    for direction in _directions(requirement):
        load = _load(scenario, requirement, direction)
        if requirement.rate is None or not load or any(flow.kind != "udp" for flow in load):
            continue
        if requirement.metric == "throughput" and requirement.subject is None:
            continue  # of everything that leaves, acknowledgements too
        sent = sum(_sent(flow, requirement.metric) for flow in load)
        if requirement.rate > sent + _in_flight(scenario, direction, sent):
            senders = "one flow" if len(load) == 1 else f"{len(load)} flows"
            yield (
                "objective-above-load",
                f"{format_rate(requirement.rate)} cannot come from senders of {format_rate(sent)}",
                (f"{senders} of UDP send {format_rate(sent)} in all, whatever the line carries",
                 "write a lower bound, or let the workload send more"),
            )  # fmt: skip
            return


def _sent(flow: Flow, metric: str) -> int:
    """Return what a UDP flow sends (bit/s): its payload, or that with IP's and UDP's headers."""
    packet, counted = _packet(flow, metric)
    return flow.rate * counted // (packet - UDP_HEADERS)


def _packet(flow: Flow, metric: str) -> tuple[int, int]:
    """Return the bytes of a flow's full-size IP packet, and how many of them count."""
    if flow.kind == "tcp":
        return PACKET, SEGMENT if metric == "goodput" else PACKET
    payload = flow.payload or UDP_PAYLOAD
    packet = payload + UDP_HEADERS
    return packet, payload if metric == "goodput" else packet


def _size(packet: int, wire: WireSize) -> int:
    return packet + LINK_HEADER if wire.raw else on_wire(packet, wire)


def _line(scenario: Scenario, direction: str) -> tuple[int, WireSize, str] | None:
    """Return the slowest thing on the way: its rate, what it adds to a packet, what it is."""
    raw = wire_size(None)
    found: list[tuple[int, WireSize, str]] = []
    rate, shaped = bandwidth_of(scenario, direction), scenario.shaped(direction)
    if rate is not None and shaped is not None:
        bandwidth = shaped.wish.shaping.bandwidth
        if bandwidth is not None and bandwidth.maximum is None:
            found.append((rate, wire_size(scenario.link.framing), "a bandwidth"))
    testbed = scenario.testbed
    if testbed is not None and testbed.beyond:
        found.append((testbed.beyond, raw, "a line"))
    return min(found, key=lambda one: one[0]) if found else None


def _in_flight(scenario: Scenario, direction: str, rate: int) -> int:
    """Return the rate by which more can arrive than was sent in the measured time.

    What was under way when it began: a path's worth, a bucket, a queue beyond the shaper.
    """
    shaped = scenario.shaped(direction)
    waiting = int(getattr(shaped.settings, "burst", 0)) if shaped else 0
    if scenario.testbed is not None and scenario.testbed.beyond:
        waiting += BEYOND_QUEUE
    longest = max([scenario.rtt, *(flow.rtt or 0 for flow in scenario.flows)])
    waiting += rate * longest // NS_PER_S // 8
    return waiting * 8 * NS_PER_S // scenario.duration


def _above_line(scenario: Scenario, requirement: Requirement) -> Found:
    """More of a shaper's rate than the line in front of it carries."""
    bound = requirement.ratio
    if bound is None:
        return
    for direction in _directions(requirement):
        rate = bandwidth_of(scenario, direction)
        if rate is None:
            continue
        beyond = scenario.testbed.beyond if scenario.testbed else None
        # What comes in has passed the line; what goes out has yet to, so it can be more.
        if beyond and direction == "ingress" and rate > beyond:
            wire = wire_size(scenario.link.framing)
            ratio = Fraction(_size(52, wire), 52 + LINK_HEADER)  # the packets that grow most
            most = beyond * ratio + _in_flight(scenario, direction, beyond)
            if bound * rate > most:
                yield (
                    "objective-above-capacity",
                    f"{format_rate(int(bound * rate))} cannot come in by a line of "
                    f"{format_rate(beyond)}",
                    (f"the bandwidth of {format_rate(rate)} is more than the testbed's `beyond`",
                     f"write a bandwidth below {format_rate(beyond)}"),
                )  # fmt: skip
                return


def _tin_share(scenario: Scenario, requirement: Requirement) -> Found:
    """More than a tin's threshold while a flood keeps Best Effort full.

    Best Effort has the whole rate as its threshold, so under a flood its turn has always come;
    a tin above its own then waits (cake_dequeue() in net/sched/sch_cake.c). TCP lets go from
    time to time, so nothing is certain beside it.
    """
    for direction in _directions(requirement):
        rate, shaped = bandwidth_of(scenario, direction), scenario.shaped(direction)
        load = _load(scenario, requirement, direction)
        if rate is None or shaped is None or shaped.kind != "cake" or not load:
            continue
        mode = shaped.wish.shaping.tiers or "diffserv3"
        tins = {_tin(scenario, flow) for flow in load}
        share = SHARES.get(mode, {}).get(tins.pop() or "") if len(tins) == 1 else None
        flood = sum(
            flow.rate
            for flow in scenario.flows
            if flow.kind == "udp" and flow.direction == direction and not flow.dscp
        )
        if share is None or requirement.rate is None or flood < rate:
            continue
        if requirement.rate > rate // share + _in_flight(scenario, direction, rate):
            yield (
                "objective-above-tin-share",
                f"under a flood no more than {format_rate(rate // share)} is left for this tier",
                (f"its tin keeps 1/{share} of {format_rate(rate)}; above that Best Effort, which "
                 f"{format_rate(flood)} of UDP never leave empty, comes first",
                 "write a lower bound, or put the flood into `bulk`"),
            )  # fmt: skip
            return


def _tin(scenario: Scenario, flow: Flow) -> str | None:
    tiers = {tier.name: tier.tin for tier in scenario.tiers}
    return tiers.get(flow.tier or "")


# ------------------------------------------------------------------ time


def _too_soon(scenario: Scenario, requirement: Requirement) -> Found:
    """A whole round trip shorter than the idle path, or than it and one packet in front."""
    bound = requirement.duration
    if bound is None:
        return
    idle = min([scenario.rtt, *(flow.rtt for flow in scenario.flows if flow.rtt)])
    if bound < idle:
        yield (
            "objective-latency-below-path",
            f"the idle path alone takes {format_duration(idle)}",
            ("latency is the whole round trip, so no shaper can meet this",
             "write a longer bound, or require `induced-latency`: what the queues add"),
        )  # fmt: skip
        return
    yield from _in_front(scenario, requirement, bound - idle, idle)


def _induced_too_soon(scenario: Scenario, requirement: Requirement) -> Found:
    """Less than one packet in front takes."""
    if requirement.duration is not None:
        yield from _in_front(scenario, requirement, requirement.duration, 0)


def _in_front(scenario: Scenario, requirement: Requirement, bound: int, idle: int) -> Found:
    """Less than half of a packet that is being sent, for all but a few of many probes.

    Probes come at any moment of it. TCP keeps a line busy for four fifths of the time at least,
    so of many probes two fifths wait longer; that of 40 none does has a chance of 10**-9.
    """
    testbed = scenario.testbed
    if requirement.statistic not in TAILS or (testbed is not None and testbed.loss):
        return
    if _probes(scenario, requirement) < MANY:
        return
    for direction in _directions(requirement):
        rate = bandwidth_of(scenario, direction)
        busy = any(flow.kind == "tcp" and flow.direction == direction for flow in scenario.flows)
        if rate is None or not busy:
            continue
        took = time_for(_size(PACKET, wire_size(scenario.link.framing)), rate)
        if bound < took // 2:
            path = f", and the idle path takes {format_duration(idle)}" if idle else ""
            yield (
                "objective-latency-below-packet",
                f"one packet takes {format_duration(took - took % 10_000)} at {format_rate(rate)}",
                (f"a packet that is being sent cannot be overtaken{path}",
                 "write a bound of at least one packet's time"
                 + (" more than the path's" if idle else "")),
            )  # fmt: skip
            return


def _probes(scenario: Scenario, requirement: Requirement) -> int:
    """Return how many probes the subject sends while it is measured."""
    return sum(
        scenario.duration // (CALL_INTERVAL if flow.kind == "voip" else flow.interval)
        for flow in scenario.flows
        if flow.kind in ("ping", "voip") and is_subject(requirement.subject, flow)
    )


RULES = {
    ("goodput", ">="): (_tin_share, _too_much, _more_than_sent),
    ("throughput", ">="): (_tin_share, _too_much, _more_than_sent),
    ("utilisation", ">="): (_above_line,),
    ("latency", "<="): (_too_soon,),
    ("induced-latency", "<="): (_induced_too_soon,),
}
