"""Two verifiers side by side: a prediction and what a kernel did, with the bands it should keep.

The bands are those of the kernel experiments: goodput within 3 %, the median and the 95th
percentile of the added round trip within a factor of 1.3 or 1 ms, drops within 25 % or 10 packets.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from tcc.units import NS_PER_MS
from tcc.verify.judge import in_words
from tcc.verify.run import Outcome, Run
from tcc.verify.text import table

GOODPUT = Fraction(3, 100)
FACTOR = Fraction(13, 10)
DROPS = Fraction(25, 100)
FEW_DROPS = 10


class Row(NamedTuple):
    """One figure of both."""

    name: str
    unit: str
    predicted: int
    measured: int
    inside: bool


def rows(predicted: Run, measured: Run) -> Iterator[Row]:
    """Yield the figures that both have."""
    for direction in ("egress", "ingress"):
        one, other = (_goodput(run, direction) for run in (predicted, measured))
        if one or other:
            inside = abs(one - other) <= GOODPUT * other
            yield Row(f"{direction} goodput", "rate", one, other, inside)
    for name, statistic in (("added median", "median"), ("added p95", "p95")):
        for label in dict.fromkeys(_probes(predicted)):
            ours = _added(predicted, label, statistic)
            theirs = _added(measured, label, statistic)
            if ours is not None and theirs is not None:
                yield Row(f"{label} {name}", "duration", ours, theirs, _close(ours, theirs))
    for direction, there in predicted.measured.directions.items():
        here = measured.measured.directions.get(direction)
        if here is not None:
            apart = abs(there.drops - here.drops)
            inside = apart <= max(Fraction(FEW_DROPS), DROPS * here.drops)
            yield Row(f"{direction} drops", "count", there.drops, here.drops, inside)


def _goodput(run: Run, direction: str) -> int:
    pairs = zip(run.scenario.flows, run.measured.flows, strict=True)
    return sum(one.goodput for flow, one in pairs if flow.direction == direction)


def _label(part: str, dscp: int) -> str:
    return f"{part} dscp {dscp}"


def _probes(run: Run) -> Iterator[str]:
    for flow in run.scenario.flows:
        if flow.kind in ("ping", "voip"):
            yield _label(flow.part, flow.dscp)


def _added(run: Run, label: str, statistic: str) -> int | None:
    """Return the mean, over probes alike, of a statistic of what was added to the round trip."""
    found = [
        max(0, one.round_trip.get(statistic) - (flow.rtt or run.scenario.rtt))
        for flow, one in zip(run.scenario.flows, run.measured.flows, strict=True)
        if flow.kind in ("ping", "voip")
        and _label(flow.part, flow.dscp) == label
        and one.round_trip.samples
    ]
    return sum(found) // len(found) if found else None


def _close(one: int, other: int) -> bool:
    low, high = sorted((one, other))
    return high - low <= NS_PER_MS or high <= FACTOR * low


def side_by_side(outcomes: Sequence[Outcome]) -> str:
    """Return a table for each objective that two verifiers ran; nothing if none was."""
    blocks = []
    for first, second in _pairs(outcomes):
        one, other = first.runs[0], second.runs[0]
        lines: list[tuple[str, ...]] = [
            ("side by side", one.measured.verifier, other.measured.verifier, "")
        ]
        lines += [
            (
                row.name,
                in_words(Fraction(row.predicted), row.unit),
                in_words(Fraction(row.measured), row.unit),
                "" if row.inside else "outside the band",
            )
            for row in rows(one, other)
        ]
        text = "\n".join(f"    {line}" for line in table(lines))
        blocks.append(f"{one.scenario.objective.text}\n{text}")
    return "\n\n".join(blocks)


def _pairs(outcomes: Sequence[Outcome]) -> Iterator[tuple[Outcome, Outcome]]:
    for first, second in pairwise(outcomes):
        if first.runs[0].scenario.index == second.runs[0].scenario.index:
            yield first, second
