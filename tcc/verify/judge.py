"""Requirements against measurements: exact comparison, the margin, and what was compared.

A requirement without a direction must hold in every direction that has something to measure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcc.ir import Requirement
from tcc.units import format_rate
from tcc.verify.measured import Measured
from tcc.verify.metrics import ONE_WAY, ROUND_TRIPS, Question
from tcc.verify.scenario import Scenario

DIRECTIONS = ("egress", "ingress")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one requirement fared in one direction.

    Attributes:
        index: of the requirement in its objective.
        direction: `egress`, `ingress`, or None for a round trip.
        measured: exact; None when there was nothing to measure, which never holds.
        bound: what was required, in the same unit.
        holds: whether it held.
        unit: `rate`, `duration`, `ratio`, `count` or `score`.
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
            return "score" if requirement.metric == "mos" else unit, Fraction(value)
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
    if requirement.metric in ROUND_TRIPS:
        yield None, ROUND_TRIPS[requirement.metric](Question(requirement, scenario, measured))
        return
    found = False
    for direction in (requirement.direction,) if requirement.direction else DIRECTIONS:
        asked = Question(requirement, scenario, measured, direction)
        value = ONE_WAY[requirement.metric](asked)
        if value is not None or requirement.direction:
            found = True
            yield direction, value
    if not found:
        yield None, None


def in_words(value: Fraction | None, unit: str) -> str:
    """Print a measured or required value for people, to about four digits."""
    if value is None:
        return "nothing"
    if unit == "rate":
        step = 10 ** max(0, len(str(int(value))) - 4)
        return format_rate(round(value / step) * step)
    if unit == "duration":
        return f"{float(value) / 1e6:.4g}ms"
    if unit == "score":
        return f"{float(value):.3g}"
    if unit == "ratio":
        return f"{float(value) * 100:.4g}%"
    return str(round(value))
