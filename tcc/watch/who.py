"""Which process a netlink port belongs to, in words.

A process's first netlink socket has its process number for a port, the others get negative
ones; /proc/net/netlink says which socket has which port, and the descriptors of a process
which sockets it has (netlink(7), proc(5)).
"""

import os
from pathlib import Path

from tcc.netlink.namespace import Namespace, inside

_SIGN = 1 << 31


def who(port: int, namespace: Namespace | None) -> str:
    """Return who has asked for a change through `port`."""
    if port == 0:
        return "the kernel"
    if 0 < port < _SIGN:
        name = _name(port)
        return f"{name} (process {port})" if name else f"process {port}, which is gone"
    pid = _holder(inode) if (inode := _inode(port, namespace)) else 0
    return f"{_name(pid)} (process {pid})" if pid else "a process that is gone"


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _inode(port: int, namespace: Namespace | None) -> str:
    """Return the inode of the route socket that has a port, empty where there is none."""
    try:
        lines = inside(namespace, lambda: Path("/proc/thread-self/net/netlink").read_text("ascii"))
    except OSError:
        return ""
    for line in lines.splitlines()[1:]:
        words = line.split()
        if words[1] == "0" and int(words[2]) == port:
            return words[-1]
    return ""


def _holder(inode: str) -> int:
    """Return the process that has a socket, 0 where it cannot be found."""
    for pid in os.listdir("/proc"):
        if not pid.isdecimal():
            continue
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                if os.readlink(f"/proc/{pid}/fd/{name}") == f"socket:[{inode}]":
                    return int(pid)
        except OSError:
            continue
    return 0
