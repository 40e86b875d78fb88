"""A prediction and a measurement, series by series, under flent's names."""

from collections.abc import Iterator
from fractions import Fraction

from tcc.verify.flent.names import test_of
from tcc.verify.judge import in_words
from tcc.verify.measured import FlowMeasure
from tcc.verify.run import Run
from tcc.verify.text import table

Cells = tuple[str, str, str, str]


def series_text(predicted: Run, measured: Run) -> str:
    """Return a table of all series: rates of transfers, and what was added to round trips."""
    head = ("series", predicted.measured.verifier, measured.measured.verifier, "apart")
    lines = table([head, *_rows(predicted, measured)])
    return "\n".join(f"    {line}" for line in lines)


def _rows(predicted: Run, measured: Run) -> Iterator[Cells]:
    names = test_of(predicted.scenario).series
    flows = zip(names, predicted.measured.flows, measured.measured.flows, strict=True)
    for (name, one, other), flow in zip(flows, predicted.scenario.flows, strict=True):
        if flow.direction is not None:
            yield _cells(name, "rate", one.goodput, other.goodput)
            continue
        for statistic in ("median", "p95"):
            ours = _added(one, statistic, flow.rtt or predicted.scenario.rtt)
            theirs = _added(other, statistic, flow.rtt or measured.scenario.rtt)
            if ours is not None and theirs is not None:
                yield _cells(f"{name}, added {statistic}", "duration", ours, theirs)


def _added(one: FlowMeasure, statistic: str, idle: int) -> int | None:
    return max(0, one.round_trip.get(statistic) - idle) if one.round_trip.samples else None


def _cells(name: str, unit: str, one: int, other: int) -> Cells:
    apart = f"{float(Fraction(one - other, other)) * 100:+.1f}%" if other else ""
    return name, in_words(Fraction(one), unit), in_words(Fraction(other), unit), apart
