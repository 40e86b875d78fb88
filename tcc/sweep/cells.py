"""Results of a point, objective by objective: verdicts and figures over all seeds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcc.sweep.grid import Run
from tcc.sweep.store import StoreError
from tcc.verify.judge import Verdict
from tcc.verify.summary import Summary, over_seeds

HELD, MISSED, NOISY, REFUSED, ABSENT = "held", "missed", "noisy", "refused", "absent"
"""What a cell can be: noisy held with some seeds and not with others, refused cannot be run."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One objective at one point.

    Attributes:
        state: held with every seed, missed, noisy, refused, or absent while a run is missing.
        summaries: of each requirement, in each direction.
        figures: of each seed, by name; None where a run has none.
        reasons: why it was refused: code and message.
        basis: how good the prediction is.
    """

    state: str
    summaries: tuple[Summary, ...] = ()
    figures: Mapping[str, tuple[Fraction | None, ...]] | None = None
    reasons: tuple[tuple[str, str], ...] = ()
    basis: str = ""

    def mean(self, name: str) -> Fraction | None:
        """Return the mean of a figure over the seeds that have it."""
        values = [one for one in (self.figures or {}).get(name, ()) if one is not None]
        return sum(values, Fraction(0)) / len(values) if values else None


NOT_WRITTEN_SO = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip
Cells = Sequence[Sequence[Cell]]
"""By point, then by objective."""


def cells(runs: Sequence[Run], results: Mapping[str, str]) -> list[list[Cell]]:
    """Return the cell of every point and objective, in the order of the runs.

    Raises:
        StoreError: a result is not as `work` wrote it.
    """
    found: list[list[Cell]] = []
    by_place: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        by_place.setdefault((run.point, run.objective), []).append(run)
    for (point, _), some in by_place.items():
        if point == len(found):
            found.append([])
        texts = [results[run.key] for run in some if run.key in results]
        found[point].append(_read(some[0].key, texts) if len(texts) == len(some) else Cell(ABSENT))
    return found


def _read(key: str, texts: Sequence[str]) -> Cell:
    try:
        return _cell([json.loads(text) for text in texts])
    except NOT_WRITTEN_SO as problem:
        raise StoreError(f"the result {key[:12]} is none that a run wrote: {problem!r}") from None


def _cell(results: Sequence[Mapping[str, Any]]) -> Cell:
    first = results[0]
    if "refused" in first:
        reasons = tuple((one["code"], one["message"]) for one in first["refused"])
        return Cell(REFUSED, reasons=reasons)
    summaries = over_seeds([[_verdict(one) for one in result["verdicts"]] for result in results])
    held = [all(one["holds"] for one in result["verdicts"]) for result in results]
    state = HELD if all(held) else NOISY if any(held) else MISSED
    names = dict.fromkeys(name for result in results for name in result["figures"])
    figures = {
        name: tuple(fraction(result["figures"].get(name)) for result in results) for name in names
    }
    return Cell(state, tuple(summaries), figures, basis=first["basis"])


def _verdict(one: Mapping[str, Any]) -> Verdict:
    bound = fraction(one["bound"])
    assert bound is not None
    return Verdict(
        one["requirement"], one["direction"], fraction(one["measured"]), bound, one["holds"],
        one["unit"],
    )  # fmt: skip


def fraction(value: int | str | None) -> Fraction | None:
    """Return the number that `work.exact` wrote."""
    return None if value is None else Fraction(value)
