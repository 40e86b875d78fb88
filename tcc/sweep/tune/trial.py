"""Settings that are tried: each is a policy, run with every seed, and kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tcc import api
from tcc.source import Source
from tcc.sweep.cells import HELD, REFUSED, Cell, cells
from tcc.sweep.drive import Driver
from tcc.sweep.executors import Workers
from tcc.sweep.grid import Grid, Point
from tcc.sweep.places import Place, edits, splice
from tcc.sweep.store import Store
from tcc.sweep.tune.goal import Goal
from tcc.sweep.tune.knobs import DIRECTIONS, Knob, line_rate
from tcc.sweep.work import Setup
from tcc.verify.summary import Summary

Setting = tuple[str | None, ...]
"""A value for each knob; None leaves the policy as it is."""


HOPELESS = 10**9
"""The shortfall of a setting that cannot be run."""


class TooManyError(Exception):
    """More runs would be needed than were allowed; the argument is how many there were."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one setting.

    Attributes:
        setting: the values.
        cell: verdicts over all seeds.
        score: mean of what is sought, the more the better; None where it was not measured.
        required: of each requirement and direction, in order.
        sought: what is sought, by direction.
        shortfall: how far requirements are missed, as shares of their bounds, over all seeds.
        held: with how many seeds everything required held.
        slack: the least distance of any seed's value from its bound, as a share of it, on the
            good side; negative where one is missed.
    """

    setting: Setting
    cell: Cell
    score: Fraction | None
    required: tuple[Summary, ...]
    sought: tuple[Summary, ...]
    shortfall: Fraction
    held: int
    slack: Fraction

    @property
    def holds(self) -> bool:
        """Whether everything required held with every seed, and what is sought was measured."""
        return self.cell.state == HELD and self.score is not None


@dataclass
class Trials:
    """Runs settings and remembers what came of them.

    Attributes:
        goal: what they are judged by.
        knobs: what their values are of.
        places: where the values go.
        setup: how policies are run.
        store: keeps results.
        workers: do the runs.
        told: is called with how many settings have been tried.
        most: runs that are allowed.
    """

    goal: Goal
    knobs: Sequence[Knob]
    places: Sequence[Sequence[Place]]
    setup: Setup
    store: Store
    workers: Workers
    told: Callable[[int], None]
    most: int
    done: dict[tuple[Setting, tuple[int, ...]], Trial] = field(default_factory=dict)
    runs: int = 0

    def run(self, settings: Sequence[Setting], seeds: Sequence[int]) -> list[Trial]:
        """Return what becomes of settings, in their order.

        Raises:
            TooManyError: and what `Driver.run` raises.
        """
        key = tuple(seeds)
        new = [one for one in dict.fromkeys(settings) if (one, key) not in self.done]
        if new:
            self._run(new, key)
        self.told(len({setting for setting, _ in self.done}))
        return [self.done[one, key] for one in settings]

    def _run(self, settings: Sequence[Setting], seeds: tuple[int, ...]) -> None:
        self.runs += len(settings) * len(seeds)
        if self.runs > self.most:
            raise TooManyError(self.runs)
        grid = Grid(
            self.goal.source, self.setup, (), (), (self.goal.policy.objectives[0].text,), seeds
        )
        points = [self.point(setting) for setting in settings]
        runs = grid.runs(points)
        Driver(grid, self.store, self.workers, lambda stored, before: None).run(points, runs)
        results = self.store.results([run.key for run in runs])
        for setting, point, [cell] in zip(settings, points, cells(runs, results), strict=True):
            self.done[setting, seeds] = self._trial(setting, point, cell)

    def point(self, setting: Setting) -> Point:
        """Return the policy with a setting."""
        fixes = [
            fix
            for places, value in zip(self.places, setting, strict=True)
            if value is not None
            for fix in edits(places, value)
        ]
        said = tuple(
            (knob.name, value)
            for knob, value in zip(self.knobs, setting, strict=True)
            if value is not None
        )
        return Point(said, splice(self.goal.source, fixes).text)

    def _trial(self, setting: Setting, point: Point, cell: Cell) -> Trial:
        sought = tuple(one for one in cell.summaries if one.verdict.index == self.goal.sought)
        required = tuple(one for one in cell.summaries if one.verdict.index != self.goal.sought)
        values = [value for one in sought if (value := self._value(one, point)) is not None]
        score = None
        if values and len(values) == len(sought):
            score = -max(values) if self.goal.wish.least else min(values)
        margins = [self._margins(one) for one in required]
        flat = [margin for some in margins for margin in some]
        missed = sum((-margin for margin in flat if margin < 0), Fraction(0))
        if cell.state == REFUSED:
            missed = Fraction(HOPELESS)
        held = sum(all(margin >= 0 for margin in seed) for seed in zip(*margins, strict=True))
        slack = min(flat, default=Fraction(0))
        return Trial(setting, cell, score, required, sought, missed, held, slack)

    def _margins(self, summary: Summary) -> list[Fraction]:
        """Return how far each seed's value is on the good side of its bound, as a share of it."""
        verdict = summary.verdict
        requirement = self.goal.policy.objectives[0].require[verdict.index]
        sign = 1 if requirement.comparison == ">=" else -1
        return [
            Fraction(-1) if value is None else sign * (value - verdict.bound) / (verdict.bound or 1)
            for value in summary.values
        ]

    def _value(self, one: Summary, point: Point) -> Fraction | None:
        """Return the mean of what is sought; a utilisation is one of the line, not of the rate."""
        values = [value for value in one.values if value is not None]
        if not values:
            return None
        mean = sum(values, Fraction(0)) / len(values)
        return mean * self.share_of_line(one.verdict.direction, point) if self.is_share else mean

    @property
    def is_share(self) -> bool:
        """Whether what is sought is a share of the bandwidth, which itself may be turned."""
        return self.goal.policy.objectives[0].require[-1].metric == "utilisation"

    def share_of_line(self, direction: str | None, point: Point) -> Fraction:
        """Return the bandwidth of a setting as a share of what the line carries."""
        if direction not in DIRECTIONS:
            return Fraction(1)
        line = line_rate(self.goal, direction)
        source = Source(self.setup.path, point.text)
        policy = api.load(source, self.setup.given, complete=True).policy
        links = policy.links if policy else ()
        shaping: Any = next(
            (getattr(one, direction) for one in links if one.name == self.goal.link.name), None
        )
        rate = shaping.bandwidth.rate if shaping and shaping.bandwidth else None
        return Fraction(rate, line) if isinstance(rate, int) and line else Fraction(1)
