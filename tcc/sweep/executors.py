"""Who works: this process, processes of this machine, or a Dask cluster; one interface for all.

That interface is `concurrent.futures.Executor`. Every worker loads the program once.
"""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from typing import ParamSpec, TypeVar

from tcc.sweep import provenance
from tcc.sweep.work import load
from tcc.verify.lifeline import depend_on

P = ParamSpec("P")
T = TypeVar("T")


class WorkersDifferError(Exception):
    """A worker runs another program than this one; the message names both."""


class WorkersLostError(Exception):
    """Work was handed out and does not come back; the message says why."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Somebody to hand work to.

    Attributes:
        executor: takes it.
        count: returns how many chunks it does at a time, which may change meanwhile.
        threaded: names of workers that take turns with themselves.
    """

    executor: Executor
    count: Callable[[], int]
    threaded: tuple[str, ...] = ()


class Here(Executor):
    """Does everything in this process, when it is handed out."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call the function and return its result as a future."""
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def local(jobs: int) -> Iterator[Workers]:
    """Work on this machine, in `jobs` processes; with one, in this process.

    However the body ends, no process is left; what they had under way is dropped.
    """
    if jobs == 1:
        yield Workers(Here(), lambda: 1)
        return
    provenance.program()  # before the fork: all workers have it, and it is this process's
    load()
    pool = ProcessPoolExecutor(
        jobs, get_context("fork"), initializer=_begin, initargs=(os.getpid(),)
    )
    pool.submit(int).result()  # starts them all, before there is a file to inherit
    children = active_children()
    try:
        yield Workers(pool, lambda: jobs)
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child.pid or 0, signal.SIGKILL)
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int) -> None:
    """Make this process a worker: Ctrl-C is for the parent, which ends it."""
    depend_on(parent, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
