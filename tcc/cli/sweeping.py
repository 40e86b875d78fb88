"""What `tcc sweep` and `tcc tune` share: who works, where results go, and how it ends."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from tcc.cli import options, show
from tcc.cli.progress import Progress
from tcc.diagnostics import Diagnostic, error, note
from tcc.sweep.cluster import ClusterError, cluster
from tcc.sweep.executors import Workers, WorkersDifferError, WorkersLostError, local
from tcc.sweep.store import Store, StoreError

if TYPE_CHECKING:
    from tcc.sweep.grid import Grid
    from tcc.sweep.result import Swept

INVALID, INTERRUPTED = 2, 130
MOST_RUNS = 10_000
FAILURES = (ClusterError, StoreError, WorkersDifferError, WorkersLostError)

F = TypeVar("F", bound=Callable[..., Any])


class Resources(NamedTuple):
    """What the options say of who works and where results go.

    Attributes:
        jobs: processes; None for one for each processor.
        cluster: address of a Dask scheduler.
        out: the file of results; None keeps none.
        most: runs that may be asked for.
    """

    jobs: int | None
    cluster: str | None
    out: str | None
    most: int


def resources(function: F) -> F:
    """Add --jobs, --cluster, --out and --max-runs; the command gets `resources`."""

    @wraps(function)
    def with_resources(
        *args: Any,  # noqa: ANN401
        jobs: int | None,
        cluster: str | None,
        out: str | None,
        max_runs: int,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        return function(*args, resources=Resources(jobs, cluster, out, max_runs), **rest)

    command: Any = with_resources
    for option in reversed(OPTIONS):
        command = option(command)
    added: F = command
    return added


OPTIONS = (
    options.jobs,
    click.option(
        "--cluster", metavar="ADDRESS",
        help="Run on the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786.",
    ),
    click.option(
        "--out", metavar="FILE", type=click.Path(dir_okay=False),
        help="Append every result to this SQLite file, and take from it what it has.",
    ),
    click.option(
        "--max-runs", default=MOST_RUNS, type=click.IntRange(1), metavar="N", show_default=True,
        help="Refuse to do more runs.",
    ),
)  # fmt: skip


def simulated(count: int, about: str) -> Callable[[F], F]:
    """Add what says how each run is made: values, facts, a back end, `count` seeds, resources."""
    seeds = click.option(
        "--seeds", "--repeat", "count", type=click.IntRange(1), default=count, metavar="N",
        show_default=True, help=about,
    )  # fmt: skip

    def add(function: F) -> F:
        command: Any = resources(function)
        for option in (seeds, *reversed(FIRST)):
            command = option(command)
        added: F = options.values(options.facts(command))
        return added

    return add


FIRST = (
    click.option("--target", metavar="BACKEND", help="Run what this back end would configure."),
    click.option("--seed", default=1, metavar="N", help="The first one.", show_default=True),
)


def check_target(target: str | None) -> None:
    """Refuse a back end that does not exist."""
    from tcc.plugin import BACKENDS, names  # noqa: PLC0415

    if target is not None and target not in names(BACKENDS):
        there = ", ".join(names(BACKENDS))
        raise click.UsageError(f"there is no back end `{target}`; there are {there}")


def run(
    grid: "Grid", resources: Resources, color: bool | None
) -> "tuple[Swept | None, int]":  # fmt: skip
    """Run a grid as far as it goes; return what there is, and the exit code if cut short."""
    from tcc.sweep.cells import cells  # noqa: PLC0415
    from tcc.sweep.drive import Driver  # noqa: PLC0415
    from tcc.sweep.plan import policy_of  # noqa: PLC0415
    from tcc.sweep.result import Swept  # noqa: PLC0415

    points = list(grid.points())
    runs = grid.runs(points)
    keys = list(dict.fromkeys(one.key for one in runs))
    progress = Progress(len(keys))
    code = 0
    try:
        with open_(resources, len(keys)) as (workers, store):
            try:
                Driver(grid, store, workers, progress.show).run(points, runs)
            except KeyboardInterrupt:
                code = INTERRUPTED
            finally:
                progress.clear()
            stored = store.results(keys)
        found = cells(runs, stored)
    except FAILURES as problem:
        show.findings([finding(problem, resources)], {}, "text", color)
        return None, INVALID
    if code:
        click.echo(interrupted(len(stored), len(keys), resources.out), err=True)
    policy = policy_of(grid)
    assert policy is not None
    return Swept(grid, points, policy, found), code


@contextmanager
def open_(resources: Resources, count: int) -> Iterator[tuple[Workers, Store]]:
    """Have workers, for at most `count` runs, and a file; SIGTERM does what Ctrl-C does.

    Raises:
        ClusterError, StoreError, WorkersDifferError: see `finding`.
    """
    jobs = resources.jobs or os.cpu_count() or 1
    there = cluster(resources.cluster) if resources.cluster else local(max(1, min(jobs, count)))
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with there as workers, closing(Store(resources.out)) as store:
            if workers.threaded:
                show.findings([_threads(workers.threaded)], {})
            yield workers, store
    finally:
        signal.signal(signal.SIGTERM, before)


def _threads(names: tuple[str, ...]) -> Diagnostic:
    return note(
        "cluster-threads", None, f"{len(names)} workers have several threads, which take turns",
        "start them with --nthreads 1, as many as there are processors: --nworkers auto",
    )  # fmt: skip


def interrupted(stored: int, count: int, out: str | None) -> str:
    """Say how far it came, and how it goes on."""
    said = f"interrupted: {stored} of {count} runs came to their end"
    return (
        f"{said}; the same command goes on from {out}"
        if out
        else f"{said}; without --out they are not kept"
    )


def finding(problem: Exception, resources: Resources) -> Diagnostic:
    """Return what to say of a sweep that cannot begin or go on."""
    go_on = ("what was measured is in the file: the same command goes on",) if resources.out else ()
    if isinstance(problem, ClusterError):
        return error(problem.code, None, *problem.words)
    if isinstance(problem, StoreError):
        return error("sweep-file", None, str(problem), "name another file, or move this one away")
    if isinstance(problem, WorkersDifferError):
        return error(
            "cluster-version", None, f"a worker runs another tcc: {problem}",
            "install the same tcc on every machine, and start the workers anew",
        )  # fmt: skip
    return error("workers-lost", None, f"runs do not come back: {problem}", *go_on)
