"""Running scenarios: every objective with every seed, one after another or in processes.

The order of results does not depend on how many processes worked.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction

from tcc import plugin
from tcc.verify.judge import Verdict, judge
from tcc.verify.measured import Measured
from tcc.verify.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Run:
    """One scenario measured by one verifier with one seed, and judged."""

    scenario: Scenario
    measured: Measured
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """One requirement in one direction over all seeds.

    Attributes:
        verdict: of the first seed.
        values: measured with each seed, in the order of seeds; None where nothing was measured.
        holds: whether it held with every seed.
        noisy: whether it held with some seeds and not with others.
    """

    verdict: Verdict
    values: tuple[Fraction | None, ...]
    holds: bool
    noisy: bool


def run_one(verifier: str, scenario: Scenario, seed: int) -> Run:
    """Measure and judge one scenario."""
    measured: Measured = plugin.verifier(verifier).measure(scenario, seed)
    return Run(scenario, measured, tuple(judge(scenario, measured)))


def run_all(
    verifier: str,
    scenarios: Sequence[Scenario],
    seeds: Sequence[int],
    jobs: int,
    progress: Callable[[int, int], None],
) -> Iterator[list[Run]]:
    """Yield the runs of each scenario in order, one for each seed.

    Args:
        verifier: name of the plugin that measures.
        scenarios: what to run.
        seeds: each scenario is run with each.
        jobs: processes; 1 runs everything in this one.
        progress: called with how many runs are done, of how many.

    Ctrl-C: runs that are under way report what they have; the rest is left out.
    """
    tasks = [(scenario, seed) for scenario in scenarios for seed in seeds]
    done: dict[int, Run] = {}
    if jobs <= 1 or len(tasks) <= 1:
        for number, (scenario, seed) in enumerate(tasks):
            done[number] = run_one(verifier, scenario, seed)
            progress(len(done), len(tasks))
            if done[number].measured.interrupted:
                break
    else:
        _in_processes(verifier, tasks, jobs, progress, done)
    for first in range(0, len(tasks), len(seeds)):
        runs = [done[number] for number in range(first, first + len(seeds)) if number in done]
        if runs:
            yield runs


def _in_processes(
    verifier: str,
    tasks: Sequence[tuple[Scenario, int]],
    jobs: int,
    progress: Callable[[int, int], None],
    done: dict[int, Run],
) -> None:
    with ProcessPoolExecutor(min(jobs, len(tasks))) as pool:
        waiting = {
            pool.submit(run_one, verifier, scenario, seed): number
            for number, (scenario, seed) in enumerate(tasks)
        }
        try:
            for future in as_completed(waiting):
                done[waiting[future]] = future.result()
                progress(len(done), len(tasks))
        except KeyboardInterrupt:
            for future, number in waiting.items():
                if not future.cancel() and future.exception() is None:
                    done[number] = future.result()


def summarise(runs: Sequence[Run]) -> list[Summary]:
    """Return each requirement's verdict over the seeds of one scenario."""
    by_place: dict[tuple[int, str | None], list[Verdict]] = {}
    for run in runs:
        for verdict in run.verdicts:
            by_place.setdefault((verdict.index, verdict.direction), []).append(verdict)
    return [
        Summary(
            verdicts[0],
            tuple(verdict.measured for verdict in verdicts),
            all(verdict.holds for verdict in verdicts),
            len({verdict.holds for verdict in verdicts}) > 1,
        )
        for verdicts in by_place.values()
    ]
