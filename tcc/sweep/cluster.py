"""Workers of a Dask cluster: `--cluster tcp://ADDRESS`, with the extra `cluster`.

What travels is pickled by Dask, in both directions: whoever runs the scheduler or a worker can
run anything here. So an address is only ever taken from the command line.
"""

import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeAlias

from tcc.sweep import provenance
from tcc.sweep.executors import Workers, WorkersDifferError, WorkersLostError

Client: TypeAlias = Any
"""A `distributed.Client`, which has no types."""
PATIENCE = 10
"""Seconds in which a scheduler answers, and has a worker."""
FRESH = 1.0
"""Seconds for which the number of workers is not asked again."""


class ClusterError(Exception):
    """The cluster cannot be used.

    Attributes:
        code: of the finding.
        words: its message, then hints.
    """

    def __init__(self, code: str, *words: str) -> None:
        super().__init__(*words)
        self.code, self.words = code, words


@contextmanager
def cluster(address: str) -> Iterator[Workers]:
    """Work on the workers that the scheduler at `address` has, and on those that join it.

    Raises:
        ClusterError: Dask is missing, nothing answers, or there are no workers.
        WorkersDifferError: a worker has another program, or none.
        WorkersLostError: work does not come back.
    """
    try:
        distributed: Any = import_module("distributed")  # an extra, and slow to import
    except ImportError as problem:
        raise _error(
            "cluster-extra", "a cluster needs Dask, which is not installed",
            "pip install 'tcpolicy[cluster]'",
        ) from problem  # fmt: skip
    try:
        distributed.comm.resolve_address(address)  # a client that fails on it ends badly
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise _error(
            "cluster-unreachable", f"no scheduler answers at {address}", str(problem),
            "start one with `dask scheduler`, and workers with "
            "`dask worker ADDRESS --nworkers auto --nthreads 1`",
        ) from problem  # fmt: skip
    try:
        _check(client, address)
        threads = client.nthreads()
        several = [worker for worker, count in threads.items() if count > 1]
        yield Workers(client.get_executor(pure=False), _Counter(client).count, tuple(several))
    except (distributed.KilledWorker, CancelledError) as problem:
        raise WorkersLostError(str(problem) or "the scheduler is gone") from problem
    finally:
        client.close()


def _error(code: str, *words: str) -> ClusterError:
    return ClusterError(code, *words)


def _check(client: Client, address: str) -> None:
    """See that there are workers, and that they run this program, one run at a time."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as problem:
        raise _error(
            "cluster-unreachable", f"the scheduler at {address} has no workers",
            f"start some with `dask worker {address} --nworkers auto --nthreads 1`",
        ) from problem  # fmt: skip
    own = provenance.program()
    for worker, theirs in client.run(provenance.program, on_error="return").items():
        if theirs != own:
            has = f"has {theirs}" if isinstance(theirs, str) else f"cannot load it: {theirs}"
            raise WorkersDifferError(f"{worker} {has}, this is {own}")


class _Counter:
    """Counts workers, now and then."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._at, self._last = 0.0, 1

    def count(self) -> int:
        """Return how many workers there were within the last second; at least one."""
        now = time.monotonic()
        if now - self._at > FRESH:
            self._at, self._last = now, max(1, len(self._client.nthreads()))
        return self._last
