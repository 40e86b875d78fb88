"""One function over many arguments, here or in processes, with a Ctrl-C that loses nothing.

A terminal sends Ctrl-C to every process of a command, `kill -INT` to one. So workers ignore the
interrupt and the parent tells each by a signal of its own, which ends what is being measured and
leaves the worker to hand back what it has. SIGTERM to the parent is the same as Ctrl-C.
"""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import active_children, get_context
from types import FrameType
from typing import Any, TypeVar

from tcc.verify.lifeline import depend_on

T = TypeVar("T")
STOP = signal.SIGUSR1
working = False
"""Whether this worker is measuring: a signal that comes between two tasks raises nothing."""
stopped = False
"""Whether this worker was told to stop: what it has not begun, it does not begin."""
orders: tuple[Callable[..., Any], Sequence[tuple[Any, ...]]] = (print, ())
"""What this worker does, and with which values."""


def each(
    function: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int,
    progress: Callable[[int, int], None],
    ended: Callable[[T], bool],
) -> dict[int, T]:
    """Return what `function` made of each task, by number; after Ctrl-C, of those that began.

    Args:
        function: called with a task's values.
        tasks: the arguments.
        jobs: processes; 1 does everything in this one.
        progress: called with how many are done, of how many.
        ended: whether a result says that it was interrupted.
    """
    done: dict[int, T] = {}
    if jobs > 1 and len(tasks) > 1:
        _in_processes(function, tasks, jobs, progress, done)
        return done
    with suppress(KeyboardInterrupt):
        for number, task in enumerate(tasks):
            done[number] = function(*task)
            progress(len(done), len(tasks))
            if ended(done[number]):
                break
    return done


def _in_processes(
    function: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int,
    progress: Callable[[int, int], None],
    done: dict[int, T],
) -> None:
    with ProcessPoolExecutor(
        min(jobs, len(tasks)),
        mp_context=get_context("fork"),
        initializer=_begin,
        initargs=(os.getpid(), function, tasks),
    ) as pool:
        waiting = {pool.submit(_work, number): number for number in range(len(tasks))}
        try:
            for future in as_completed(waiting):
                done[waiting[future]] = future.result()
                progress(len(done), len(tasks))
        except KeyboardInterrupt:
            _gather(waiting, done)


def _gather(waiting: "dict[Future[T], int]", done: dict[int, T]) -> None:
    """Stop all workers, and take what they had."""
    for future in waiting:
        future.cancel()
    for child in active_children():
        with suppress(ProcessLookupError):
            os.kill(child.pid or 0, STOP)
    for future, number in waiting.items():
        if not future.cancelled() and future.exception() is None:
            done[number] = future.result()


def _begin(parent: int, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> None:
    """Make this process a worker.

    It has the tasks from its parent's memory: sent one by one, each would bring along the places
    of a whole policy.
    """
    global orders  # noqa: PLW0603
    orders = function, tasks
    depend_on(parent, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(STOP, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    global stopped  # noqa: PLW0603
    stopped = True
    if working:
        raise KeyboardInterrupt


def _work(number: int) -> Any:  # noqa: ANN401  (whatever the function returns)
    global working  # noqa: PLW0603  (a signal handler has nothing else to look at)
    working = True
    try:
        if stopped:
            raise KeyboardInterrupt
        function, tasks = orders
        return function(*tasks[number])
    finally:
        working = False
