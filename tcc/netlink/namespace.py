"""Network namespaces: naming one, and opening a socket inside it.

Nothing here creates a namespace: a name that does not exist is a
`FileNotFoundError`.
"""

import ctypes
import os
import socket
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

CLONE_NEWNET: Final = 0x40000000
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


def route_socket(
    namespace: Namespace | None, protocol: int = socket.NETLINK_ROUTE
) -> socket.socket:
    """Return a raw route socket that lives in `namespace`; None is our own.

    The process stays where it is: the namespace is entered by a thread that
    ends as soon as it has made the socket.

    Raises:
        FileNotFoundError: there is no such namespace.
        PermissionError: entering another namespace takes CAP_SYS_ADMIN.
        OSError: the path is not a network namespace (EINVAL).
    """
    if namespace is None:
        return _make(protocol)
    made: list[socket.socket | OSError] = []
    descriptor = os.open(namespace.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        worker = threading.Thread(
            target=_make_inside, args=(descriptor, namespace.path, protocol, made)
        )
        worker.start()
        worker.join()
    finally:
        os.close(descriptor)
    result = made[0]
    if isinstance(result, OSError):
        raise result
    return result


def _make(protocol: int) -> socket.socket:
    flags = socket.SOCK_RAW | socket.SOCK_CLOEXEC
    return socket.socket(socket.AF_NETLINK, flags, protocol)


def _make_inside(
    descriptor: int, path: Path, protocol: int, made: list[socket.socket | OSError]
) -> None:
    """Enter the namespace with this thread only, and leave a socket or the error."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        if libc.setns(descriptor, CLONE_NEWNET) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
        made.append(_make(protocol))
    except OSError as problem:
        made.append(problem)
