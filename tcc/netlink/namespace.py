"""Network namespaces: naming one, reading inside it, opening a socket there.

Nothing here creates a namespace: a name that does not exist is a
`FileNotFoundError`.
"""

import ctypes
import os
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, TypeVar

CLONE_NEWNET: Final = 0x40000000
T = TypeVar("T")
NAMED: Final = Path("/run/netns")  # where ip-netns(8) keeps them


@dataclass(frozen=True, slots=True)
class Namespace:
    """A network namespace, by the path of the file that stands for it."""

    path: Path

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the namespace that `ip netns` knows by `name`; `ValueError` if that is no name."""
        if not name or name in {".", ".."} or "/" in name or "\0" in name:
            raise ValueError(f"{name!r} is no name of a network namespace")
        return cls(NAMED / name)

    @classmethod
    def of_process(cls, pid: int) -> Self:
        """Return the namespace that the process `pid` is in."""
        return cls(Path(f"/proc/{pid:d}/ns/net"))

    def enter(self) -> None:
        """Move the calling thread there, for good.

        Raises:
            FileNotFoundError: there is no such namespace.
            PermissionError: entering takes CAP_SYS_ADMIN.
            OSError: the path is not a network namespace (EINVAL).
        """
        libc = ctypes.CDLL(None, use_errno=True)
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if libc.setns(descriptor, CLONE_NEWNET) != 0:
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number), str(self.path))
        finally:
            os.close(descriptor)


def inside(namespace: Namespace | None, read: Callable[[], T]) -> T:
    """Return what `read` returns in a thread that has entered `namespace` and ends with it.

    The process stays where it is; None is where that is. Files below /proc/net and
    /proc/sys/net show the namespace of the thread that reads them.

    Raises:
        OSError: as `Namespace.enter`; also whatever `read` raises of that sort.
    """
    if namespace is None:
        return read()
    done: list[T | OSError] = []

    def enter_and_read() -> None:
        try:
            namespace.enter()
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


def route_socket(
    namespace: Namespace | None, protocol: int = socket.NETLINK_ROUTE
) -> socket.socket:
    """Return a netlink socket that stays in `namespace`.

    Raises:
        OSError: as `Namespace.enter`.
    """
    flags = socket.SOCK_RAW | socket.SOCK_CLOEXEC
    return inside(namespace, lambda: socket.socket(socket.AF_NETLINK, flags, protocol))
