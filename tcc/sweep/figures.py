"""Figures of a run that are measured whatever its objective requires."""

from fractions import Fraction
from typing import NamedTuple

from tcc.ir import Requirement, document
from tcc.verify.judge import DIRECTIONS
from tcc.verify.measured import Measured
from tcc.verify.metrics import ONE_WAY, ROUND_TRIPS, Question
from tcc.verify.scenario import Scenario


class Figure(NamedTuple):
    """One of them: what a policy would call it, and its unit as verdicts name units."""

    metric: str
    statistic: str | None
    unit: str

    @property
    def words(self) -> str:
        """Return how a policy says it."""
        return f"{self.metric} {self.statistic}" if self.statistic else self.metric


OF_A_DIRECTION = (
    Figure("goodput", None, "rate"),
    Figure("throughput", None, "rate"),
    Figure("utilisation", None, "ratio"),
    Figure("sojourn", "p99", "duration"),
    Figure("loss", None, "ratio"),
    Figure("marks", None, "count"),
)
OF_A_ROUND_TRIP = (
    Figure("induced-latency", "mean", "duration"),
    Figure("induced-latency", "p99", "duration"),
    Figure("mos", None, "score"),
)
UNITS = {
    **{f"{way} {one.words}": one.unit for way in DIRECTIONS for one in OF_A_DIRECTION},
    **{one.words: one.unit for one in OF_A_ROUND_TRIP},
}
"""The unit of each figure by its name: `egress goodput`, `induced-latency p99`."""


def figures(scenario: Scenario, measured: Measured) -> dict[str, Fraction]:
    """Return every figure that the run has, exact, by its name."""
    found: dict[str, Fraction | None] = {}
    for direction in DIRECTIONS:
        for one in OF_A_DIRECTION:
            asked = Question(_asked(one, direction), scenario, measured, direction)
            found[f"{direction} {one.words}"] = ONE_WAY[one.metric](asked)
    for one in OF_A_ROUND_TRIP:
        asked = Question(_asked(one, None), scenario, measured)
        found[one.words] = ROUND_TRIPS[one.metric](asked)
    return {name: value for name, value in found.items() if value is not None}


def _asked(one: Figure, direction: str | None) -> Requirement:
    """Return the requirement whose left side is this figure; nothing is judged by it."""
    said = {"direction": direction, "metric": one.metric, "statistic": one.statistic}
    return document.read(Requirement, {**said, "comparison": ">="})
