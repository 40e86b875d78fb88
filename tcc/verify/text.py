"""Results for people: one block for each objective, verdicts first."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from tcc.dscp import name_of
from tcc.ir import Requirement
from tcc.units import NS_PER_S, format_duration
from tcc.verify.judge import Verdict, bound_of, in_words
from tcc.verify.measured import Delays, DirectionMeasure, FlowMeasure, Measured
from tcc.verify.mend import Mend
from tcc.verify.run import Advice, Outcome, Run
from tcc.verify.scenario import Scenario
from tcc.verify.summary import Summary, summarise

KEPT, MISSED, NOISE = "held", "MISSED", "NOISY"


def objective_text(outcome: Outcome) -> str:
    """Return the block of one objective, over all of its seeds."""
    runs, first = outcome.runs, outcome.runs[0]
    summaries = summarise(runs)
    lines = [f"{_outcome(summaries)}  {first.scenario.objective.text}", f"    {_frame(runs)}"]
    rows = [_verdict_row(first.scenario, summary) for summary in summaries]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row, summary in zip(rows, summaries, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("    " + "  ".join((*cells, row[3])).rstrip())
        place = (summary.verdict.index, summary.verdict.direction)
        for advice in outcome.advice:
            if (advice.index, advice.direction) == place:
                lines += [f"            {line}" for line in advice_lines(first.scenario, advice)]
    for direction, one in first.measured.directions.items():
        lines += ["", *_indented(_direction_text(direction, one, first.measured))]
    if first.measured.host:
        lines += ["", *_indented(first.measured.host)]
    lines += ["", *_indented(table(list(_part_rows(first.scenario, first.measured))))]
    return "\n".join(lines)


def advice_lines(scenario: Scenario, advice: Advice) -> list[str]:
    """Return where it went, and what would mend it."""
    said = [*advice.where, *(_mend_text(scenario, mend) for mend in advice.mends)]
    if advice.tried and not advice.mends:
        changes = f"{advice.tried} changes" if advice.tried > 1 else "one change"
        said.append(f"{changes} tried, and none would make it hold")
    return said


def _mend_text(scenario: Scenario, mend: Mend) -> str:
    values = " and ".join(
        " ".join(filter(None, (in_words(one.measured, one.unit), one.direction)))
        for one in mend.verdicts
    )
    text = f"with {mend.words} it would hold: {values}"
    missed = [requirement_text(scenario.objective.require[index]) for index in mend.others]
    return f"{text} (but not {', '.join(missed)})" if missed else text


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, the first column to the left and the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


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
        f"seed {seeds}; {measured.verifier}: {measured.basis}, {measured.model}"
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
    shown = in_words(summary.values[0], verdict.unit)
    note = _margin(verdict)
    if summary.interval is not None:
        values = [value for value in summary.values if value is not None]
        low, high = (in_words(value, verdict.unit) for value in summary.interval)
        shown = f"{in_words(sum(values, Fraction(0)) / len(values), verdict.unit)}"
        note = f"95% sure: {low} .. {high}"
        if summary.noisy:
            held = sum(one is not None and _keeps(requirement, one) for one in summary.values)
            note += f"; within noise: {held} of {len(summary.values)} seeds held"
    word = KEPT if summary.holds else NOISE if summary.noisy else MISSED
    what = " ".join(filter(None, (verdict.direction, requirement_text(requirement))))
    return word, what, shown, note


def _keeps(requirement: Requirement, value: Fraction) -> bool:
    _, bound = bound_of(requirement)
    return value >= bound if requirement.comparison == ">=" else value <= bound


def _margin(verdict: Verdict) -> str:
    """Say how far a measurement is from its bound."""
    margin = verdict.margin
    if margin is None:
        return ""
    side = "above" if margin >= 0 else "below"
    return f"{abs(float(margin)) * 100:.1f}% {side} the bound"


def _direction_text(direction: str, one: DirectionMeasure, measured: Measured) -> list[str]:
    rate = one.octets * 8 * NS_PER_S // max(1, measured.duration)
    head = (
        f"{direction}: {in_words(Fraction(rate), 'rate')} in {one.packets} packets, "
        f"{_delays(one.sojourn)}; {one.drops} dropped, {one.marks} marked"
    )
    since = ", ".join(f"{count} {name}" for name, count in sorted(one.reasons.items()))
    rows = [
        ("  tin, since the start", "packets", "dropped", "ACKs filtered", "marked", "average delay")
    ]
    rows += [
        (
            f"  {name}", str(tin["sent_packets"]), str(tin["drops"]), str(tin["ack_drops"]),
            str(tin["ecn_mark"]), f"{tin['avg_delay_us'] / 1000:.2f}ms",
        )
        for name, tin in one.tins.items()
        if tin["sent_packets"]
    ]  # fmt: skip
    found = [head, f"  dropped since the start: {since}"] if since else [head]
    return [*found, *(table(rows) if len(rows) > 1 else ())]


def _delays(delays: Delays) -> str:
    if not delays.samples:
        return "time in the queue not measured"
    return f"{delays.median / 1e6:.2f}ms median, {delays.p99 / 1e6:.2f}ms p99 in the queue"


def _part_rows(scenario: Scenario, measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield a row for each group of flows alike: what they got, or what they waited."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, flow in enumerate(scenario.flows):
        key = (flow.part, flow.kind, flow.direction or "", name_of(flow.dscp), str(flow.host))
        groups.setdefault(key, []).append(number)
    yield ("flows", "goodput of each", "round trip median", "p99", "lost")
    for (part, kind, direction, mark, host), numbers in groups.items():
        flows = [measured.flows[number] for number in numbers]
        count = f"{len(flows)} x " if len(flows) > 1 else ""
        name = " ".join(filter(None, (f"{count}{part}", kind, direction, mark, f"host {host}")))
        yield (name, *(_transfers(flows) if kind in ("tcp", "udp") else _probes(flows)))


def _transfers(flows: Sequence[FlowMeasure]) -> tuple[str, ...]:
    shares = sorted(Fraction(one.goodput) for one in flows)
    most = f" .. {in_words(shares[-1], 'rate')}" if len(shares) > 1 else ""
    dropped = [one.drops for one in flows if one.drops is not None]
    return f"{in_words(shares[0], 'rate')}{most}", "", "", str(sum(dropped)) if dropped else ""


def _probes(flows: Sequence[FlowMeasure]) -> tuple[str, ...]:
    trip = max((one.round_trip for one in flows), key=lambda delays: delays.p99)
    lost, sent = sum(one.lost for one in flows), sum(one.offered for one in flows)
    gone = f"{lost} of {sent}" if sent else ""
    return "", f"{trip.median / 1e6:.2f}ms", f"{trip.p99 / 1e6:.2f}ms", gone
