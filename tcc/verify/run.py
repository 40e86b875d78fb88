"""Running scenarios: every objective with every seed, one after another or in processes.

The order of results does not depend on how many processes worked.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tcc import plugin
from tcc.verify.judge import Verdict, judge, missed_of
from tcc.verify.measured import Measured, MeasureError
from tcc.verify.mend import Attempt, Mend, Mender
from tcc.verify.scenario import Scenario
from tcc.verify.where import where
from tcc.verify.workers import each


@dataclass(frozen=True, slots=True)
class Run:
    """One scenario measured by one verifier with one seed, and judged."""

    scenario: Scenario
    measured: Measured
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """What is said of one missed requirement of one run.

    Attributes:
        index: of the requirement.
        direction: where it was missed.
        where: sentences on where the time or the loss went.
        tried: changes that were tried; 0 where none was looked for.
        mends: changes that were tried and made it hold.
    """

    index: int
    direction: str | None
    where: tuple[str, ...]
    tried: int
    mends: tuple[Mend, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One objective as one verifier saw it: a run for each seed, and what is said of misses."""

    runs: tuple[Run, ...]
    advice: tuple[Advice, ...] = ()

    @property
    def held(self) -> bool:
        """Whether every requirement held with every seed."""
        return all(verdict.holds for run in self.runs for verdict in run.verdicts)

    @property
    def interrupted(self) -> bool:
        """Whether a run was ended early."""
        return any(run.measured.interrupted for run in self.runs)


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run.

    Attributes:
        verifier: name of the plugin that measures.
        scenarios: one for each objective.
        seeds: each scenario is run with each.
        jobs: processes; 1 runs everything in this one.
    """

    verifier: str
    scenarios: Sequence[Scenario]
    seeds: Sequence[int]
    jobs: int


class Judged(NamedTuple):
    """What came of a scenario, without the scenario: that is known where it was ordered."""

    measured: Measured
    verdicts: tuple[Verdict, ...]


def run_one(verifier: str, scenario: Scenario, seed: int) -> Judged | MeasureError:
    """Measure and judge one scenario; where that failed, return why.

    What was simulated is a net of few objects with large tables behind them, which count for
    nothing with the collector: it is made to look for them while they are young.
    """
    try:
        measured: Measured = plugin.verifier(verifier).measure(scenario, seed)
    except MeasureError as problem:
        return problem
    finally:
        gc.collect(1)
    return Judged(measured, tuple(judge(scenario, measured)))


def run_all(order: Order, progress: Callable[[int, int], None]) -> Iterator[list[Run]]:
    """Yield the runs of each scenario in order, one for each seed.

    Args:
        order: what to run.
        progress: called with how many runs are done, of how many.

    Ctrl-C: runs that are under way report what they have; the rest is left out.

    Raises:
        MeasureError: after all that could be measured: what could not, and why.
    """
    tasks = [
        (order.verifier, scenario, seed) for scenario in order.scenarios for seed in order.seeds
    ]
    progress(0, len(tasks))
    jobs = 1 if getattr(plugin.verifier(order.verifier), "alone", False) else order.jobs
    done = each(run_one, tasks, jobs, progress, _ended)
    for first in range(0, len(tasks), len(order.seeds)):
        scenario: Scenario = tasks[first][1]
        found = [done.get(number) for number in range(first, first + len(order.seeds))]
        runs = [Run(scenario, *one) for one in found if isinstance(one, Judged)]
        if runs:
            yield runs
    reasons = [str(one) for one in done.values() if isinstance(one, MeasureError)]
    if reasons:
        raise MeasureError("; ".join(dict.fromkeys(reasons)))


def _ended(result: Judged | MeasureError) -> bool:
    return isinstance(result, Judged) and result.measured.interrupted


def advise(
    runs: Sequence[Run], mender: Mender | None, progress: Callable[[], None]
) -> list[Advice]:
    """Return what is to be said of the requirements that the first run with a miss missed."""
    run = next((one for one in runs if not all(verdict.holds for verdict in one.verdicts)), None)
    if run is None or run.measured.interrupted:
        return []
    found: list[Advice] = []
    for verdicts in missed_of(run.verdicts):
        progress()
        attempt = Attempt(0, ())
        if mender is not None and any(one.measured is not None for one in verdicts):
            attempt = mender.attempt(run.scenario, verdicts, run.measured.seed)
        found += [
            Advice(
                verdict.index,
                verdict.direction,
                tuple(where(run.scenario, run.measured, verdict)),
                attempt.tried,
                attempt.mends,
            )
            for verdict in verdicts
            if not verdict.holds
        ]
    return found
