"""Read something as a network namespace sees it."""

import ctypes
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tcc.netlink.links import Link
from tcc.netlink.namespace import CLONE_NEWNET, Namespace

T = TypeVar("T")


def inside(namespace: Namespace | None, read: Callable[[], T]) -> T:
    """Return what `read` returns in a thread that has entered `namespace`.

    /proc/sys/net shows the settings of the reading thread's namespace.

    Raises:
        OSError: the namespace cannot be entered; also whatever `read` raises of that sort.
    """
    if namespace is None:
        return read()
    done: list[T | OSError] = []

    def enter_and_read() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        try:
            descriptor = os.open(namespace.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                if libc.setns(descriptor, CLONE_NEWNET) != 0:
                    number = ctypes.get_errno()
                    raise OSError(number, os.strerror(number), str(namespace.path))
            finally:
                os.close(descriptor)
            done.append(read())
        except OSError as problem:
            done.append(problem)

    worker = threading.Thread(target=enter_and_read)
    worker.start()
    worker.join()
    result = done[0]
    if isinstance(result, OSError):
        raise result
    return result


def is_here(link: Link, root: Path) -> bool:
    """Whether /sys speaks of this device: same name, same number."""
    try:
        text = (root / "sys/class/net" / link.name / "ifindex").read_text("ascii")
    except OSError:
        return False
    return text.strip() == str(link.ifindex)
