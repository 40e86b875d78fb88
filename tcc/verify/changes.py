"""What could be changed in a policy so that a missed requirement holds, in order of likelihood.

A change is only a candidate: `tcc.verify.mend` simulates it before anything is said.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from tcc import plugin
from tcc.dscp import NAMES
from tcc.ir import Bandwidth, Framing, Link, Policy, QdiscChoice, Shaping, Workload
from tcc.units import NS_PER_MS, format_duration, format_rate, format_size
from tcc.verify.metrics import is_subject
from tcc.verify.scenario import Scenario
from tcc.verify.washing import washing_link
from tcc.verify.where import OTHER, bandwidth_of

DELAY = ("latency", "induced-latency", "sojourn", "mos", "loss")
RATE = ("goodput", "throughput", "utilisation")
BELOW_LINE = (95, 90)
"""Per cent of the true rate that leave the queue in the shaper."""
FAST_TIN: Final = "voice"
FIFOS = ("bfifo", "pfifo")


class Change(NamedTuple):
    """A candidate: how a person would write it, and the policy with it."""

    words: str
    policy: Policy


class Missed(NamedTuple):
    """What was missed: the requirement's metric and subject, and where."""

    metric: str
    subject: str | None
    directions: tuple[str, ...]


def changes(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Yield the candidates for one missed requirement."""
    for maker in (*DELAY_MAKERS,) if missed.metric in DELAY else ():
        yield from maker(policy, scenario, missed)
    for maker in (*RATE_MAKERS,) if missed.metric in RATE else ():
        yield from maker(policy, scenario, missed)
    if missed.metric == "fairness":
        yield from _fairness(policy, scenario, missed)
        yield from _one_cake(policy, scenario, missed)
        yield from _patient(policy, scenario, missed)


# ------------------------------------------------------------------ the rate


def _below_line(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Shape to less than the line behind carries, so that its queue stays empty."""
    beyond = scenario.testbed.beyond if scenario.testbed else None
    too_fast = [
        direction
        for direction in _shaped(scenario)
        if beyond and (bandwidth_of(scenario, direction) or 0) > beyond * BELOW_LINE[0] // 100
    ]
    for share in BELOW_LINE if beyond and too_fast else ():
        rate = (beyond or 0) * share // 100
        changed = policy
        for direction in too_fast:
            changed = _reshaped(changed, scenario, direction, bandwidth=Bandwidth(rate=rate))
        yield Change(f"{_in(too_fast)}`bandwidth {format_rate(rate)}`", changed)


# ------------------------------------------------------------------ tins


def _tiers(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Give what is measured a tin of its own: by the mode, by its tier, by its mark."""
    level = [
        direction
        for direction in _shaped(scenario)
        if _shaping(scenario, direction).tiers in ("besteffort", "precedence")
        and _is_cake(scenario, direction)
    ]
    with_tins, said = policy, ""
    if level:
        for direction in level:
            with_tins = _reshaped(with_tins, scenario, direction, tiers="diffserv4")
        said = f"{_in(level)}`tiers diffserv4`"
        yield Change(said, with_tins)
    yield from _raised(with_tins, scenario, missed, said)
    yield from _marked(with_tins, scenario, missed, said)


def _raised(policy: Policy, scenario: Scenario, missed: Missed, said: str) -> Iterator[Change]:
    """Put the tier that is measured into the fastest tin."""
    own = scenario.link.tiers
    for tiers, place in ((policy.tiers, None), (own, scenario.link.name)):
        for number, tier in enumerate(tiers):
            if tier.name != missed.subject or tier.tin == FAST_TIN:
                continue
            raised = replace(tier, tin=FAST_TIN)
            changed = (*tiers[:number], raised, *tiers[number + 1 :])
            words = f"`tier {tier.name} as {FAST_TIN}`"
            whole = (
                replace(policy, tiers=changed)
                if place is None
                else _relinked(policy, place, tiers=changed)
            )
            yield Change(_and(said, words), whole)


def _marked(policy: Policy, scenario: Scenario, missed: Missed, said: str) -> Iterator[Change]:
    """Mark the probes and calls of the policy's own workloads, as their senders would."""
    names = {
        flow.workload
        for flow in scenario.flows
        if flow.kind in ("ping", "voip")
        and is_subject(missed.subject, flow)
        and flow.dscp != NAMES["ef"]
    }
    for workload in policy.workloads:
        kinds = [part.kind for part in workload.parts if part.kind in ("ping", "voip")]
        if workload.name in names and kinds:
            yield Change(
                _and(said, f"`{kinds[0]} ... dscp ef` in the workload {workload.name}"),
                _remarked(policy, workload),
            )


def _remarked(policy: Policy, workload: Workload) -> Policy:
    parts = tuple(
        replace(part, dscp=NAMES["ef"]) if part.kind in ("ping", "voip") else part
        for part in workload.parts
    )
    changed = replace(workload, parts=parts)
    everything = tuple(changed if one is workload else one for one in policy.workloads)
    return replace(policy, workloads=everything)


def _unwashed(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Keep the marks that a tin needs: here, and on the link by which packets come."""
    washing = [way for way in _shaped(scenario) if _shaping(scenario, way).dscp == "wash"]
    if washing:
        changed = policy
        for direction in washing:
            changed = _reshaped(changed, scenario, direction, dscp="keep")
        yield Change(f"{_in(washing)}`dscp keep`", changed)
    before = washing_link(policy, scenario.link)
    if before is not None and before.ingress is not None:
        kept = replace(before.ingress, dscp="keep")
        yield Change(
            f"`dscp keep` in the ingress of link {before.name}",
            _relinked(policy, before.name, ingress=kept),
        )


# ------------------------------------------------------------------ tbf


def _burst(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    for direction in _shaped(scenario):
        settings = _tbf(scenario, direction)
        if settings is None:
            continue
        for size in (2 * settings.burst, 4 * settings.burst):
            yield _with_tbf(policy, scenario, direction, f"`burst {format_size(size)}`", burst=size)
        yield _with_tbf(policy, scenario, direction, "`burst auto`", burst="auto")


def _inner(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    for direction in _shaped(scenario):
        shaped = scenario.shaped(direction)
        inside = shaped.children[0].kind if shaped and shaped.children else FIFOS[0]
        if _tbf(scenario, direction) is not None and inside != "fq_codel":
            choice = QdiscChoice(kind="fq_codel")
            yield _with_tbf(policy, scenario, direction, "`inner fq_codel`", inner=choice)


def _shorter(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    yield from _latencies(policy, scenario, (20, 10, 5), shorter=True)


def _longer(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    yield from _latencies(policy, scenario, (50, 100), shorter=False)


def _latencies(
    policy: Policy, scenario: Scenario, steps: tuple[int, ...], *, shorter: bool
) -> Iterator[Change]:
    for direction in _shaped(scenario):
        settings = _tbf(scenario, direction)
        if settings is None:
            continue
        held = (settings.limit - settings.burst) * 1000 // settings.rate  # ms
        for step in steps:
            if (step < held) is shorter and step != held:
                words = f"`latency {format_duration(step * NS_PER_MS)}`"
                yield _with_tbf(
                    policy, scenario, direction, words, latency=step * NS_PER_MS, limit=None
                )


def _tbf(scenario: Scenario, direction: str) -> "_Bucket | None":
    shaped = scenario.shaped(direction)
    if shaped is None or shaped.kind != "tbf":
        return None
    settings = shaped.settings
    return _Bucket(*(int(getattr(settings, name)) for name in _Bucket._fields))


class _Bucket(NamedTuple):
    rate: int
    burst: int
    limit: int


def _with_tbf(
    policy: Policy, scenario: Scenario, direction: str, words: str, **update: object
) -> Change:
    asked = _shaping(scenario, direction).qdisc
    before = asked.options if asked else None
    options = before or plugin.qdisc("tbf").options_model()
    choice = QdiscChoice(kind="tbf", options=replace(options, **update))
    return Change(
        f"{_in([direction])}{words} in tbf",
        _reshaped(policy, scenario, direction, qdisc=choice),
    )


# ------------------------------------------------------------------ cake


def _one_cake(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Let one instance serve all transmit queues, so that none keeps rate that it does not use."""
    for direction in _shaped(scenario):
        shaped = scenario.shaped(direction)
        if shaped is not None and shaped.kind == "cake_mq":
            asked = _shaping(scenario, direction).qdisc or QdiscChoice(kind="cake_mq")
            choice = replace(asked, kind="cake")
            changed = _reshaped(policy, scenario, direction, qdisc=choice)
            yield Change(f"{_in([direction])}`qdisc cake`", changed)


def _ack_filter(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Thin the acknowledgements that starve the data of the other direction."""
    for direction in missed.directions:
        back = OTHER[direction]
        if (
            scenario.shaped(back)
            and _is_cake(scenario, back)
            and _shaping(scenario, back).ack_filter in (None, "off")
        ):
            words = f"{_in([back])}`ack-filter on`"
            yield Change(words, _reshaped(policy, scenario, back, ack_filter="on"))


def _rtt(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Set the AQM for the path that there is."""
    wrong = [
        direction
        for direction in _shaped(scenario)
        if _is_cake(scenario, direction)
        and not scenario.rtt <= (_shaping(scenario, direction).rtt or 100 * NS_PER_MS)
        <= 2 * scenario.rtt
    ]  # fmt: skip
    if wrong:
        changed = policy
        for direction in wrong:
            changed = _reshaped(changed, scenario, direction, rtt=scenario.rtt)
        yield Change(f"{_in(wrong)}`rtt {format_duration(scenario.rtt)}`", changed)


def _patient(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Let the AQM wait longer, so that a lone flow keeps the window that its share needs."""
    ways = [way for way in _shaped(scenario) if way in missed.directions]
    for direction in (way for way in ways if _is_cake(scenario, way)):
        rtt = 2 * (_shaping(scenario, direction).rtt or 100 * NS_PER_MS)
        changed = _reshaped(policy, scenario, direction, rtt=rtt)
        yield Change(f"{_in([direction])}`rtt {format_duration(rtt)}`", changed)


def _framing(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    """Charge less for each packet, where the policy says that it does not know the line."""
    framing = scenario.link.framing
    if framing is not None and framing.preset in ("unknown", "conservative"):
        known = Framing(preset="ethernet")
        yield Change(
            "`framing ethernet`, if that is what the line is",
            _relinked(policy, scenario.link.name, framing=known),
        )


def _fairness(policy: Policy, scenario: Scenario, missed: Missed) -> Iterator[Change]:
    wish = "per-host" if missed.subject == "host" else "per-flow"
    ways = [way for way in _shaped(scenario) if way in missed.directions]
    of_cake = [way for way in ways if _is_cake(scenario, way)]
    if of_cake:
        changed = policy
        for direction in of_cake:
            changed = _reshaped(changed, scenario, direction, fairness=wish)
        yield Change(f"{_in(of_cake)}`fairness {wish}`", changed)
    if missed.subject != "host":
        yield from _inner(policy, scenario, missed)


DELAY_MAKERS: tuple[Callable[[Policy, Scenario, Missed], Iterator[Change]], ...] = (
    _below_line, _tiers, _unwashed, _burst, _inner, _shorter, _rtt,
)  # fmt: skip
RATE_MAKERS: tuple[Callable[[Policy, Scenario, Missed], Iterator[Change]], ...] = (
    _below_line, _one_cake, _burst, _inner, _longer, _ack_filter, _rtt, _framing, _fairness,
)  # fmt: skip


# ------------------------------------------------------------------ policies


def _shaped(scenario: Scenario) -> list[str]:
    return [way for way in ("egress", "ingress") if scenario.shaped(way) is not None]


def _shaping(scenario: Scenario, direction: str) -> Shaping:
    shaped = scenario.shaped(direction)
    return shaped.wish.shaping if shaped else Shaping()


def _is_cake(scenario: Scenario, direction: str) -> bool:
    shaped = scenario.shaped(direction)
    return shaped is not None and shaped.kind in ("cake", "cake_mq")


def _reshaped(policy: Policy, scenario: Scenario, direction: str, **update: Any) -> Policy:  # noqa: ANN401
    """Return the policy with other clauses in one direction of the scenario's link."""
    link = next(one for one in policy.links if one.name == scenario.link.name)
    shaping: Shaping = getattr(link, direction)
    return _relinked(policy, link.name, **{direction: replace(shaping, **update)})


def _relinked(policy: Policy, name: str, **update: Any) -> Policy:  # noqa: ANN401
    links: tuple[Link, ...] = tuple(
        replace(link, **update) if link.name == name else link for link in policy.links
    )
    return replace(policy, links=links)


def _in(directions: list[str]) -> str:
    """Return the direction that a change is for, when it is only one."""
    return f"{directions[0]} " if len(directions) == 1 else ""


def _and(first: str, second: str) -> str:
    return f"{first} and {second}" if first else second
