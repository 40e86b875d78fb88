"""What happens to devices, qdiscs and filters of a namespace, and who did it.

The kernel tells members of RTNLGRP_LINK and RTNLGRP_TC of every change, with the netlink port
of the socket that asked for it (rtnetlink(7), netlink(7)); 0 is the kernel itself. What nft
changes is told by another family (NFNLGRP_NFTABLES), without saying what.
"""

import contextlib
import errno
import select
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tcc.closing import Closing
from tcc.netlink import links
from tcc.netlink.events import RTNLGRP_LINK, RTNLGRP_TC
from tcc.netlink.messages import (
    NLMSGHDR,
    RTM_DELLINK,
    RTM_DELQDISC,
    RTM_DELTCLASS,
    RTM_DELTFILTER,
    RTM_NEWLINK,
    RTM_NEWQDISC,
    RTM_NEWTCLASS,
    RTM_NEWTFILTER,
    Reply,
)
from tcc.netlink.namespace import Namespace, inside
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import DecodeError

SOL_NETLINK: Final = 270
ADD_MEMBERSHIP: Final = 1
NETLINK_NETFILTER: Final = 12
NFNLGRP_NFTABLES: Final = 7
AT_MOST: Final = 1000  # datagrams before what they said is looked at
_GONE: Final = {RTM_DELLINK, RTM_DELQDISC, RTM_DELTFILTER, RTM_DELTCLASS}
_TC: Final = {
    RTM_NEWQDISC: "qdisc",
    RTM_DELQDISC: "qdisc",
    RTM_NEWTCLASS: "class",
    RTM_DELTCLASS: "class",
    RTM_NEWTFILTER: "filter",
    RTM_DELTFILTER: "filter",
}


@dataclass(frozen=True, slots=True)
class Heard:
    """One change; of a device it says what a policy may depend on."""

    what: str
    """`link`, `qdisc`, `class`, `filter`, `marks`; `lost` when the kernel had to drop some."""
    index: int = 0
    gone: bool = False
    port: int = 0
    """Of the netlink socket that asked for the change."""
    name: str = ""
    kind: str = ""
    link: tuple[object, ...] = ()


class Listener(Closing):
    """Hears what happens from its making on; a context manager.

    Args:
        namespace: where to listen.
        receive_buffer: bytes that the kernel may queue for us.

    Raises:
        FileNotFoundError, PermissionError: as `RouteSocket`.
    """

    def __init__(
        self, namespace: Namespace | None = None, *, receive_buffer: int = 1 << 20
    ) -> None:
        self._route = RouteSocket(namespace, receive_buffer=receive_buffer)
        self._marks: socket.socket | None = None
        try:
            self._route.subscribe(RTNLGRP_LINK, RTNLGRP_TC)
            self._marks = inside(namespace, _of_nftables)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop listening."""
        self._route.close()
        if self._marks is not None:
            self._marks.close()

    def register(self, poll: select.poll) -> None:
        """Have `poll` wake when there is something to `take`."""
        poll.register(self._route, select.POLLIN)
        if self._marks is not None:
            poll.register(self._marks, select.POLLIN)

    def take(self) -> list[Heard]:
        """Return what has been heard, without waiting."""
        found: list[Heard] = []
        for _ in range(AT_MOST):
            try:
                replies = self._route.receive(0)
            except OSError as problem:
                if problem.errno != errno.ENOBUFS:
                    raise
                found.append(Heard("lost"))
                continue
            if not replies:
                break
            found += [one for reply in replies for one in _heard(reply)]
        return [*found, *self._of_marks()]

    def _of_marks(self) -> Iterator[Heard]:
        if self._marks is None:
            return
        for _ in range(AT_MOST):
            try:
                if not self._marks.recv(1 << 16):
                    return
            except BlockingIOError:
                return
            except OSError as problem:
                if problem.errno != errno.ENOBUFS:
                    raise
            yield Heard("marks")


def _of_nftables() -> socket.socket | None:
    """Return a socket that hears of nftables; None where the kernel has none."""
    flags = socket.SOCK_RAW | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
    try:
        found = socket.socket(socket.AF_NETLINK, flags, NETLINK_NETFILTER)
    except OSError:
        return None
    try:
        found.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, NFNLGRP_NFTABLES)
    except OSError:
        found.close()
        return None
    return found


def _heard(reply: Reply) -> Iterator[Heard]:
    """Yield what one message says; one that cannot be read is a reason to look."""
    gone = reply.type in _GONE
    port = NLMSGHDR.unpack_from(reply.data, reply.start - NLMSGHDR.size)[4]
    with contextlib.suppress(DecodeError):
        if reply.type in {RTM_NEWLINK, RTM_DELLINK}:
            one = links.parse(reply)
            told = (one.name, one.up, one.tx_queues, one.mtu, one.qdisc, one.master)
            yield Heard("link", one.ifindex, gone, port, one.name, one.kind, told)
        elif reply.type in _TC:
            found = TcObject(*reply)
            yield Heard(_TC[reply.type], found.ifindex, gone, port, "", found.kind)
        return
    yield Heard("lost")
