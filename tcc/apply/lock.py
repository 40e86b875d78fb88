"""One change at a time: an advisory lock that the kernel drops when its holder dies.

flock(2) on a file of the state directory. What the file says (who holds it) is for people;
only the lock counts, so a file left behind locks nobody out.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE = 0.05  # seconds between attempts


class BusyError(Exception):
    """Somebody else holds the lock; the message says who."""


@contextmanager
def held(path: Path, who: str, patience: float) -> Iterator[None]:
    """Hold the lock at `path` for the body of a `with`; `who` is told to those who wait.

    Args:
        path: the lock's file, made if need be.
        who: the command that holds it.
        patience: seconds to wait for another holder.

    Raises:
        BusyError: another process kept it for longer than that.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        _wait(descriptor, patience)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}, `{who}`\n".encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)  # and with it the lock


def _wait(descriptor: int, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip()
                raise BusyError(holder or "another process") from None
            time.sleep(_PAUSE)
        else:
            return
