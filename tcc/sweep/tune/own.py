"""What becomes of the policy's own objectives with the choice."""

from collections.abc import Sequence
from typing import NamedTuple

from tcc import api
from tcc.passes import Built
from tcc.sweep.cells import cells
from tcc.sweep.drive import Driver
from tcc.sweep.flat import flat
from tcc.sweep.grid import Grid, Point
from tcc.sweep.places import edits, places, splice
from tcc.sweep.tune.search import Choice
from tcc.sweep.tune.trial import Trials


class Fate(NamedTuple):
    """One objective: its text, and its state before and after."""

    text: str
    before: str
    after: str

    @property
    def words(self) -> str:
        """Return its state with the choice, and what it was if that is another."""
        if self.after == self.before:
            return f"{self.after}, as before"
        return f"{self.after}, {self.before} before"


def own(trials: Trials, built: Built, choice: Choice, seeds: Sequence[int]) -> list[Fate]:
    """Return the states of all objectives of the policy, as it is and with the choice."""
    source = flat(built)
    whole = api.load(source, trials.setup.given)
    fixes = []
    for knob, value in zip(trials.knobs, choice.best.setting, strict=True):
        found = places(whole, knob.axis)
        if value is not None and isinstance(found, Sequence):
            fixes += edits(found, value)
    policy = api.load(source, trials.setup.given, complete=True).policy
    texts = tuple(one.text for one in policy.objectives) if policy else ()
    grid = Grid(source, trials.setup, (), (), texts, seeds)
    points = [Point((), source.text), Point((), splice(source, fixes).text)]
    runs = grid.runs(points)
    if not runs:
        return []
    Driver(grid, trials.store, trials.workers, lambda stored, before: None).run(points, runs)
    before, after = cells(runs, trials.store.results([run.key for run in runs]))
    return [
        Fate(text, one.state, other.state)
        for text, one, other in zip(texts, before, after, strict=True)
    ]
