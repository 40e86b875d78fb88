"""Verdicts over several seeds: an interval for each requirement, and what is only noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from tcc.verify.judge import Verdict
from tcc.verify.run import Run

STUDENT = (
    12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228, 2201, 2179, 2160, 2145, 2131,
    2120, 2110, 2101, 2093, 2086, 2080, 2074, 2069, 2064, 2060, 2056, 2052, 2048, 2045, 2042,
)  # fmt: skip
"""Thousandths of Student's t for 95% in the middle, for 1, 2, ... degrees of freedom."""
NORMAL = 1960
SCALE = 10**12
"""Steps of a root: enough for a ratio, and integers stay the same on every machine."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One requirement in one direction over all seeds.

    Attributes:
        verdict: of the first seed.
        values: measured with each seed, in the order of seeds; None where nothing was measured.
        interval: in which the mean over all seeds lies with 95% confidence; None for one seed.
        holds: whether it held with every seed.
        noisy: whether more seeds could change the verdict: it held with some seeds and not with
            others, or the interval holds the bound.
    """

    verdict: Verdict
    values: tuple[Fraction | None, ...]
    interval: tuple[Fraction, Fraction] | None
    holds: bool
    noisy: bool


def summarise(runs: Sequence[Run]) -> list[Summary]:
    """Return each requirement's verdict over the seeds of one scenario."""
    return over_seeds([run.verdicts for run in runs])


def over_seeds(of_runs: Sequence[Sequence[Verdict]]) -> list[Summary]:
    """Return each requirement's verdict, given those of a run with each seed."""
    by_place: dict[tuple[int, str | None], list[Verdict]] = {}
    for verdicts in of_runs:
        for verdict in verdicts:
            by_place.setdefault((verdict.index, verdict.direction), []).append(verdict)
    return [_summary(verdicts) for verdicts in by_place.values()]


def _summary(verdicts: Sequence[Verdict]) -> Summary:
    values = tuple(verdict.measured for verdict in verdicts)
    interval = interval_of([value for value in values if value is not None])
    mixed = len({verdict.holds for verdict in verdicts}) > 1
    bound = verdicts[0].bound
    around = interval is not None and interval[0] < bound < interval[1]
    return Summary(
        verdicts[0],
        values,
        interval,
        all(verdict.holds for verdict in verdicts),
        mixed or around,
    )


def interval_of(values: Sequence[Fraction]) -> tuple[Fraction, Fraction] | None:
    """Return the 95% confidence interval of the mean (Student's t); None for fewer than two."""
    count = len(values)
    if count < 2:
        return None
    mean = sum(values, Fraction(0)) / count
    variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (count - 1)
    share = variance / count
    root = Fraction(isqrt(int(share * SCALE * SCALE)), SCALE)
    student = STUDENT[count - 2] if count - 2 < len(STUDENT) else NORMAL
    half = root * student / 1000
    return mean - half, mean + half
