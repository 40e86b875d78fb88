"""A sweep that has been run, whole or as far as it came."""

from collections.abc import Sequence
from dataclasses import dataclass

from tcc.ir import Policy, Requirement
from tcc.sweep.cells import ABSENT, HELD, REFUSED, Cell, Cells
from tcc.sweep.grid import Grid, Point
from tcc.verify.summary import Summary


@dataclass(frozen=True, slots=True)
class Swept:
    """Everything that is shown of a sweep.

    Attributes:
        grid: what was asked for.
        points: every combination of values.
        policy: that of the first point, for the words of its objectives.
        cells: what came out, by point and objective.
    """

    grid: Grid
    points: Sequence[Point]
    policy: Policy
    cells: Cells

    @property
    def whole(self) -> bool:
        """Whether every run has a result."""
        return not any(cell.state == ABSENT for row in self.cells for cell in row)

    @property
    def held(self) -> bool:
        """Whether everything held everywhere."""
        return all(cell.state == HELD for row in self.cells for cell in row)

    @property
    def runnable(self) -> bool:
        """Whether anything could be run at all."""
        return any(cell.state != REFUSED for row in self.cells for cell in row)

    def requirement(self, objective: int, index: int) -> Requirement:
        """Return a requirement; its bound is that of the first point."""
        return self.policy.objectives[objective].require[index]

    def columns(self, objective: int) -> list[tuple[int, str | None]]:
        """Return what is measured under an objective: requirements, by index, and directions."""
        found = {
            (one.verdict.index, one.verdict.direction): None
            for row in self.cells
            for one in row[objective].summaries
        }
        return sorted(found, key=lambda place: (place[0], place[1] or ""))


def summary_of(cell: Cell, column: tuple[int, str | None]) -> Summary | None:
    """Return what one cell says of one requirement in one direction."""
    for one in cell.summaries:
        if (one.verdict.index, one.verdict.direction) == column:
            return one
    return None
