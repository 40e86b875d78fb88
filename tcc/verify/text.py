"""Results for people: one block for each objective, verdicts first."""

from collections.abc import Iterator, Sequence

from tcc.dscp import name_of
from tcc.ir import Requirement
from tcc.units import NS_PER_S, format_duration, format_rate
from tcc.verify.judge import bound_of, in_words
from tcc.verify.measured import Delays, DirectionMeasure, FlowMeasure, Measured
from tcc.verify.run import Run, Summary, summarise
from tcc.verify.scenario import Scenario

KEPT, MISSED, NOISE = "held", "MISSED", "NOISY"


def objective_text(runs: Sequence[Run]) -> str:
    """Return the block of one objective, over all of its seeds."""
    first = runs[0]
    lines = [f"{_outcome(summarise(runs))}  {first.scenario.objective.text}", f"    {_frame(runs)}"]
    rows = [_verdict_row(first.scenario, summary) for summary in summarise(runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("    " + "  ".join((*cells, row[3])).rstrip())
    for direction, one in first.measured.directions.items():
        lines += ["", *_direction_text(direction, one, first.measured)]
    lines += ["", *_parts_text(first.scenario, first.measured)]
    return "\n".join(lines)


def _outcome(summaries: Sequence[Summary]) -> str:
    if all(summary.holds for summary in summaries):
        return KEPT
    return NOISE if all(summary.holds or summary.noisy for summary in summaries) else MISSED


def _frame(runs: Sequence[Run]) -> str:
    """Say what was run: the load, the path, the seeds, and how good the prediction is."""
    scenario, measured = runs[0].scenario, runs[0].measured
    load = " + ".join(use.name for use in scenario.objective.under)
    seeds = ", ".join(str(run.measured.seed) for run in runs)
    cut = " (interrupted)" if any(run.measured.interrupted for run in runs) else ""
    return (
        f"under {load}, {format_duration(measured.duration)}{cut} after "
        f"{format_duration(scenario.warmup)} of warm-up, rtt {format_duration(scenario.rtt)}, "
        f"seed {seeds}; {measured.verifier}: emergent, {measured.model}"
    )


def requirement_text(requirement: Requirement) -> str:
    """Return a requirement as a policy writes it, without its direction."""
    unit, bound = bound_of(requirement)
    words = (requirement.subject, requirement.metric, requirement.statistic)
    said = " ".join(word for word in words if word)
    return f"{said} {requirement.comparison} {in_words(bound, unit)}"


def _verdict_row(scenario: Scenario, summary: Summary) -> tuple[str, str, str, str]:
    verdict = summary.verdict
    requirement = scenario.objective.require[verdict.index]
    values = [value for value in summary.values if value is not None]
    shown = in_words(values[0] if values else None, verdict.unit)
    if len(values) > 1:
        low, high = in_words(min(values), verdict.unit), in_words(max(values), verdict.unit)
        shown = f"{low} .. {high}"
    word = KEPT if summary.holds else NOISE if summary.noisy else MISSED
    margin = verdict.margin
    far = f"{float(margin) * 100:+.1f}% of the bound" if margin is not None else ""
    what = " ".join(filter(None, (verdict.direction, requirement_text(requirement))))
    return word, what, shown, far


def _direction_text(direction: str, one: DirectionMeasure, measured: Measured) -> Iterator[str]:
    seconds = max(1, measured.duration)
    rate = one.octets * 8 * NS_PER_S // seconds
    yield (
        f"    {direction}: {format_rate(rate // 1000 * 1000)}, "
        f"in the queue {_delays(one.sojourn)}; {one.packets} packets, {one.drops} dropped"
        f"{_reasons(one)}, {one.marks} marked"
    )
    for name, tin in one.tins.items():
        if tin["sent_packets"]:
            yield (
                f"      {name}: {tin['sent_packets']} packets came, {tin['drops']} dropped, "
                f"{tin['ack_drops']} ACKs filtered, {tin['ecn_mark']} marked, "
                f"average delay {tin['avg_delay_us'] / 1000:.2f}ms"
            )


def _reasons(one: DirectionMeasure) -> str:
    if not one.reasons:
        return ""
    return " (" + ", ".join(f"{count} {name}" for name, count in sorted(one.reasons.items())) + ")"


def _delays(delays: Delays) -> str:
    if not delays.samples:
        return "nothing"
    return f"{delays.median / 1e6:.2f}ms median, {delays.p99 / 1e6:.2f}ms p99"


def _parts_text(scenario: Scenario, measured: Measured) -> Iterator[str]:
    """Yield a line for each group of flows alike: what they got, or what they waited."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, flow in enumerate(scenario.flows):
        key = (flow.part, flow.kind, flow.direction or "", name_of(flow.dscp), str(flow.host))
        groups.setdefault(key, []).append(number)
    for (part, kind, direction, mark, host), numbers in groups.items():
        flows = [measured.flows[number] for number in numbers]
        name = " ".join(filter(None, (part, kind, direction, mark, f"host {host}")))
        seen = _transfers(flows) if kind in ("tcp", "udp") else _probes(flows)
        yield f"    {name}: {seen}"


def _transfers(flows: Sequence[FlowMeasure]) -> str:
    shares = sorted(one.goodput // 1000 * 1000 for one in flows)
    dropped = sum(one.drops for one in flows)
    most = f" .. {format_rate(shares[-1])}" if len(shares) > 1 else ""
    return f"{len(flows)} x {format_rate(shares[0])}{most}, {dropped} dropped"


def _probes(flows: Sequence[FlowMeasure]) -> str:
    trip = max((one.round_trip for one in flows), key=lambda delays: delays.p99)
    lost, sent = sum(one.lost for one in flows), sum(one.offered for one in flows)
    return f"{_delays(trip)}, {trip.max / 1e6:.2f}ms max, {lost} lost of {sent}"
