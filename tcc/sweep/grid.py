"""The grid: a policy for each combination of values, and its runs, each under a key.

A key is a digest of everything that a result depends on, and of nothing else: the text of the
policy with the values in it, the number of the objective, the seed, what `--set`, `--facts` and
`--target` say, and the program. So a file of results can serve any sweep that asks the same.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from math import prod

from tcc.ir import document
from tcc.source import Source
from tcc.sweep import provenance
from tcc.sweep.axes import Axis
from tcc.sweep.places import Place, edits, splice
from tcc.sweep.store import FORMAT
from tcc.sweep.work import Setup


@dataclass(frozen=True, slots=True)
class Run:
    """One objective of one point with one seed.

    Attributes:
        key: of its result.
        point: its place among the points.
        objective: number of the objective.
        seed: of the engine's random numbers.
    """

    key: str
    point: int
    objective: int
    seed: int


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of values: one policy.

    Attributes:
        settings: the values, by parameter.
        text: the policy with them.
    """

    settings: tuple[tuple[str, str], ...]
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """Everything that is to be run.

    Attributes:
        source: the policy as it is, in one text.
        setup: what all runs have in common.
        axes: what varies.
        places: where each axis' values go in `source`.
        objectives: the texts of the policy's objectives.
        seeds: each objective is run with each.
    """

    source: Source
    setup: Setup
    axes: tuple[Axis, ...]
    places: tuple[Sequence[Place], ...]
    objectives: tuple[str, ...]
    seeds: Sequence[int]

    @property
    def size(self) -> int:
        """How many runs there are."""
        return self.combinations * len(self.objectives) * len(self.seeds)

    @property
    def combinations(self) -> int:
        """How many points there are."""
        return prod(len(axis.values) for axis in self.axes)

    def points(self) -> Iterator[Point]:
        """Yield all combinations; the values of the last axis change fastest."""
        for values in product(*(axis.values for axis in self.axes)):
            yield self.point(values)

    def point(self, values: Sequence[str]) -> Point:
        """Return the policy with one value on each axis."""
        fixes = [
            fix
            for places, value in zip(self.places, values, strict=True)
            for fix in edits(places, value)
        ]
        names = (axis.name for axis in self.axes)
        return Point(
            tuple(zip(names, values, strict=True)), splice(self.source, fixes).text
        )  # fmt: skip

    def runs(self, points: Sequence[Point]) -> list[Run]:
        """Return the runs of some points, by the place of each."""
        common = _common(self.setup)
        return [
            Run(_key(common, text, number, seed), place, number, seed)
            for place, point in enumerate(points)
            for text in (digest(point.text),)
            for number in range(len(self.objectives))
            for seed in self.seeds
        ]


def digest(text: str) -> str:
    """Return the SHA-256 of a text, hexadecimal."""
    return sha256(text.encode()).hexdigest()


def _common(setup: Setup) -> str:
    facts = document.text(setup.facts) if setup.facts else None
    given = {name: str(value) for name, value in setup.given.values.items()}
    return json.dumps(
        [FORMAT, provenance.program(), given, facts, setup.target], sort_keys=True
    )  # fmt: skip


def _key(common: str, text: str, objective: int, seed: int) -> str:
    return digest(f"{common}\n{text}\n{objective}\n{seed}")
