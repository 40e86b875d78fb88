"""Runs to workers, results to the file: a few chunks under way at a time, each stored as it comes.

A chunk holds about as many runs as a worker does in `CHUNK` seconds: enough that passing it on
costs nothing, little enough that what a killed sweep had under way is soon done again.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from itertools import groupby

from tcc import __version__
from tcc.sweep import provenance
from tcc.sweep.executors import Workers, WorkersDifferError, WorkersLostError
from tcc.sweep.grid import Grid, Point, Run, digest
from tcc.sweep.store import Row, Store
from tcc.sweep.work import Done, Job, work

CHUNK = 0.5
AHEAD = 2
"""Chunks handed out for each worker: one that it does, one that it finds when it is done."""
SHARE = 4
"""Towards the end no chunk is more than this part of what is left for each worker."""

Progress = Callable[[int, int], None]
"""Is told how many runs of this sweep are stored, and how many of those were there before."""


@dataclass
class _Pace:
    """How long a run takes, from those that came back."""

    seconds: float = 0.0
    runs: int = 0

    def chunk(self, left: int, workers: int) -> int:
        """Return how many runs the next chunk should have."""
        if not self.runs:
            return 1
        each = max(self.seconds / self.runs, 1e-6)
        return max(1, min(int(CHUNK / each), left // (SHARE * workers)))

    def add(self, seconds: float, runs: int) -> None:
        """Count runs that came back."""
        self.seconds += seconds
        self.runs += runs


@dataclass
class Driver:
    """Takes runs to their results.

    Attributes:
        grid: what the runs belong to.
        store: takes results.
        workers: do the work.
        progress: is told what is stored.
    """

    grid: Grid
    store: Store
    workers: Workers
    progress: Progress
    _pace: _Pace = field(default_factory=_Pace)

    def run(self, points: Sequence[Point], runs: Sequence[Run]) -> None:
        """Store the result of every run that has none yet.

        Raises:
            KeyboardInterrupt: what came back by then is stored.
            StoreError, WorkersDifferError, WorkersLostError: the same.
        """
        self.store.keep_policy(digest(self.grid.source.text), self.grid.source.text)
        by_key = {run.key: run for run in runs}
        there = self.store.results(list(by_key))
        waiting = [run for key, run in by_key.items() if key not in there]
        before = stored = len(by_key) - len(waiting)
        self.progress(stored, before)
        under_way: set[Future[Done]] = set()
        chunks = self._chunks(points, waiting)
        try:
            while self._hand_out(chunks, under_way):
                ended, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in ended:
                    stored += self._keep(future.result(), points, by_key)
                self.progress(stored, before)
        except BrokenExecutor as problem:
            raise WorkersLostError(str(problem)) from problem
        finally:
            for future in under_way:
                future.cancel()

    def _hand_out(self, chunks: Iterator[list[Job]], under_way: set[Future[Done]]) -> bool:
        """Keep every worker busy; return whether anything is under way."""
        while len(under_way) < AHEAD * self.workers.count():
            jobs = next(chunks, None)
            if jobs is None:
                break
            under_way.add(self.workers.executor.submit(work, self.grid.setup, jobs))
        return bool(under_way)

    def _chunks(self, points: Sequence[Point], waiting: Sequence[Run]) -> Iterator[list[Job]]:
        """Yield the next runs; what another sweep has put into the file meanwhile is left out."""
        at = 0
        while at < len(waiting):
            size = self._pace.chunk(len(waiting) - at, self.workers.count())
            chunk = waiting[at : at + size]
            at += size
            there = self.store.results([run.key for run in chunk])
            runs = [run for run in chunk if run.key not in there]
            if runs:
                yield _jobs(points, runs)

    def _keep(self, done: Done, points: Sequence[Point], by_key: Mapping[str, Run]) -> int:
        """Store what a worker did; return how many runs that was."""
        if done.program != provenance.program():
            raise WorkersDifferError(done.program)
        self._pace.add(done.seconds, len(done.results))
        policy = digest(self.grid.source.text)
        rows = []
        for key, result in done.results:
            run = by_key[key]
            settings = json.dumps(dict(points[run.point].settings))
            objective = self.grid.objectives[run.objective]
            rows.append(
                Row(key, policy, settings, objective, run.seed, __version__, done.program, result)
            )
        self.store.append(rows)
        return len(rows)


def _jobs(points: Sequence[Point], runs: Sequence[Run]) -> list[Job]:
    """Put runs of one point together: their policy is built once."""
    return [
        Job(points[number].text, tuple((run.key, run.objective, run.seed) for run in some))
        for number, some in groupby(runs, key=lambda run: run.point)
    ]
