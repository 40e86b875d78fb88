"""The kernel's qdiscs over rtnetlink: made of options that are ready, read as they come.

tc(8) knows the kinds of its own time; a kernel may have more. So what the policy's plugins encoded
goes to the kernel as it is, and what the kernel counts goes back undecoded.
"""

import ctypes
import errno
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .programs import CommandError

CLONE_NEWNET = 0x40000000
REQUEST, ACK, DUMP, EXCL, CREATE = 0x1, 0x4, 0x300, 0x200, 0x400
ERROR, DONE, NEW, GET = 2, 3, 36, 38
KIND, OPTIONS, SENTENCE = 1, 2, 1
HEADER = struct.Struct("=IHHII")
"""Length, type, flags, sequence, port."""
OBJECT = struct.Struct("=BxxxiIII")
"""Family, device, handle, parent, info."""
ANSWER = HEADER.size + 4 + HEADER.size
"""Of an acknowledgement: its header, the error number, the header of the request."""
SOL_NETLINK, CAP_ACK, EXT_ACK = 270, 10, 11
LONGEST = 1 << 18
UNKNOWN = (
    "this kernel (Linux {}) has no qdisc `{}`: load it (modprobe sch_{}), or name a User-Mode "
    "Linux that has it in TCC_UML_KERNEL (docs/verify.md)"
)


class Qdiscs:
    """The qdiscs of one network namespace.

    Args:
        namespace: its name.
    """

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        with _inside(namespace):
            self.socket = socket.socket(
                socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE
            )
            self.numbers = {name: number for number, name in socket.if_nameindex()}
        for option in (CAP_ACK, EXT_ACK):
            self.socket.setsockopt(SOL_NETLINK, option, 1)

    def add(self, device: str, wanted: dict[str, Any]) -> None:
        """Make a qdisc.

        Args:
            device: on which.
            wanted: `handle` and `parent` as numbers, `kind`, `options` in
                hexadecimal or None.

        Raises:
            CommandError: the kernel refused.
        """
        kind = wanted["kind"]
        attributes = _attribute(KIND, kind.encode() + b"\0")
        if wanted["options"] is not None:
            attributes += _attribute(OPTIONS, bytes.fromhex(wanted["options"]))
        self._ask(NEW, ACK | CREATE | EXCL, device, wanted["handle"], wanted["parent"], attributes)
        number, said = _answer(self.socket.recv(LONGEST))
        if number == errno.ENOENT and "unknown" in said:
            raise CommandError(UNKNOWN.format(os.uname().release, kind, kind))
        if number:
            raise CommandError(f"the kernel refuses {kind}: {said}")

    def shown(self, device: str) -> list[str]:
        """Return the qdiscs of a device, each as the kernel tells it, in hexadecimal."""
        found: list[str] = []
        self._ask(GET, DUMP, device, 0, 0, b"")
        while True:
            data = self.socket.recv(LONGEST)
            start = 0
            while start < len(data):
                length, kind, _, _, _ = HEADER.unpack_from(data, start)
                if kind in (DONE, ERROR):
                    return found
                body = data[start + HEADER.size : start + length]
                if OBJECT.unpack_from(body)[1] == self.numbers[device]:
                    found.append(body.hex())
                start += (length + 3) & ~3

    def _ask(
        self, kind: int, flags: int, device: str, handle: int, parent: int, attributes: bytes
    ) -> None:
        body = OBJECT.pack(0, self.numbers[device], handle, parent, 0) + attributes
        header = HEADER.pack(HEADER.size + len(body), kind, REQUEST | flags, 0, 0)
        self.socket.send(header + body)


def _attribute(kind: int, payload: bytes) -> bytes:
    length = 4 + len(payload)
    return struct.pack("=HH", length, kind) + payload + bytes(-length % 4)


def _answer(data: bytes) -> tuple[int, str]:
    """Return the error number of an acknowledgement, and the kernel's sentence."""
    (number,) = struct.unpack_from("=i", data, HEADER.size)
    if len(data) > ANSWER + 4:
        length, kind = struct.unpack_from("=HH", data, ANSWER)
        if kind == SENTENCE:
            return -number, data[ANSWER + 4 : ANSWER + length].rstrip(b"\0").decode()
    return -number, os.strerror(-number)


@contextmanager
def _inside(namespace: str) -> Iterator[None]:
    """Be in a network namespace for a while: a socket stays in the one where it was made."""
    libc = ctypes.CDLL(None, use_errno=True)
    here = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    there = os.open(Path("/run/netns", namespace), os.O_RDONLY | os.O_CLOEXEC)
    try:
        _enter(libc, there)
        yield
    finally:
        _enter(libc, here)
        os.close(here)
        os.close(there)


def _enter(libc: ctypes.CDLL, descriptor: int) -> None:
    if libc.setns(descriptor, CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
