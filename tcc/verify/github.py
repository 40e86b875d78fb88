"""Results as workflow commands, which GitHub shows beside the lines of a change."""

from collections.abc import Iterator, Mapping, Sequence

from tcc.ir import Spans, span_at
from tcc.report.github import data, property_text
from tcc.report.place import place_of
from tcc.source import Source
from tcc.verify.judge import in_words
from tcc.verify.run import Outcome
from tcc.verify.summary import Summary, summarise
from tcc.verify.text import advice_lines, requirement_text


def render(outcomes: Sequence[Outcome], spans: Spans, sources: Mapping[str, Source]) -> str:
    """Return an error for each requirement that was missed, and a notice for each objective."""
    return "".join(
        f"{line}\n" for outcome in outcomes for line in _commands(outcome, spans, sources)
    )


def _commands(outcome: Outcome, spans: Spans, sources: Mapping[str, Source]) -> Iterator[str]:
    scenario = outcome.runs[0].scenario
    place = ("objectives", scenario.index)
    if outcome.held:
        yield _command("notice", outcome, "held", _place(spans, sources, place))
        return
    for summary in summarise(outcome.runs):
        if summary.holds:
            continue
        where = (*place, "require", summary.verdict.index)
        yield _command(
            "error", outcome, missed_text(outcome, summary), _place(spans, sources, where)
        )


def missed_text(outcome: Outcome, summary: Summary) -> str:
    """Return what was missed, by how much, and what is said of it, in lines."""
    scenario, verdict = outcome.runs[0].scenario, summary.verdict
    values = [value for value in summary.values if value is not None]
    shown = " .. ".join(
        dict.fromkeys(in_words(value, verdict.unit) for value in (min(values), max(values)))
    ) if values else "nothing"  # fmt: skip
    text = " ".join(
        filter(
            None, (verdict.direction, requirement_text(scenario.objective.require[verdict.index]))
        )
    )
    lines = [f"{text}: measured {shown}"]
    for advice in outcome.advice:
        if (advice.index, advice.direction) == (verdict.index, verdict.direction):
            lines += advice_lines(scenario, advice)
    return "\n".join(lines)


def _place(
    spans: Spans, sources: Mapping[str, Source], path: tuple[str | int, ...]
) -> dict[str, str]:
    place = place_of(span_at(spans, path), sources)
    found = {"file": place.file}
    if place.start is not None:
        found["line"] = str(place.start.line)
    return found


def _command(word: str, outcome: Outcome, text: str, place: dict[str, str]) -> str:
    title = outcome.runs[0].scenario.objective.text
    properties = {**place, "title": title}
    settings = ",".join(f"{name}={property_text(value)}" for name, value in properties.items())
    return f"::{word} {settings}::{data(text)}"
