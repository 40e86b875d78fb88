"""Which network namespace, beyond doubt: what state belongs to, and what it outlives.

A namespace is a file's device and inode. Inodes are given again once a namespace is gone, so
its cookie (SO_NETNS_COOKIE, Linux 5.14, never given twice before a reboot) and the kernel's
boot id tell an old one from a new one in the same place.
"""

import os
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tcc.netlink.namespace import Namespace, route_socket

SO_NETNS_COOKIE: Final = 71
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_OWN = Path("/proc/self/ns/net")


@dataclass(frozen=True, slots=True)
class Identity:
    """One life of one network namespace."""

    device: int
    inode: int
    boot: str
    cookie: int
    """0 where the kernel has none."""

    @property
    def directory(self) -> str:
        """The name of its state directory."""
        return f"netns-{self.device}-{self.inode}"


def identify(namespace: Namespace | None) -> Identity:
    """Return the identity of `namespace`; None is the one of this process.

    Raises:
        FileNotFoundError, PermissionError, OSError: as `route_socket`.
    """
    found = os.stat(_OWN if namespace is None else namespace.path)
    sock = route_socket(namespace)
    try:
        raw = sock.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)
        cookie = struct.unpack("=Q", raw)[0]
    except OSError:
        cookie = 0
    finally:
        sock.close()
    boot = _BOOT_ID.read_text("ascii").strip() if _BOOT_ID.exists() else ""
    return Identity(found.st_dev, found.st_ino, boot, cookie)
