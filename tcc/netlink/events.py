"""What changes in a namespace, as it changes: devices, qdiscs, classes, filters."""

import errno
import time
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from tcc.closing import Closing
from tcc.netlink import links
from tcc.netlink.messages import (
    RTM_DELCHAIN,
    RTM_DELLINK,
    RTM_DELQDISC,
    RTM_DELTCLASS,
    RTM_DELTFILTER,
    RTM_NEWCHAIN,
    RTM_NEWLINK,
    RTM_NEWQDISC,
    RTM_NEWTCLASS,
    RTM_NEWTFILTER,
    Reply,
)
from tcc.netlink.namespace import Namespace
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket

RTNLGRP_LINK: Final = 1
RTNLGRP_TC: Final = 4

_TC: Final = {
    RTM_NEWQDISC: ("qdisc", False),
    RTM_DELQDISC: ("qdisc", True),
    RTM_NEWTCLASS: ("class", False),
    RTM_DELTCLASS: ("class", True),
    RTM_NEWTFILTER: ("filter", False),
    RTM_DELTFILTER: ("filter", True),
    RTM_NEWCHAIN: ("chain", False),
    RTM_DELCHAIN: ("chain", True),
}


class LinkEvent(NamedTuple):
    """A device appeared, changed, or (`gone`) went away."""

    link: links.Link
    gone: bool


class TcEvent(NamedTuple):
    """A `what` (qdisc, class, filter, chain) was made, changed, or (`gone`) removed."""

    what: str
    object: TcObject
    gone: bool


class Overrun(NamedTuple):
    """Events came faster than they were read, and some are lost: read the state anew."""


Event: TypeAlias = LinkEvent | TcEvent | Overrun


class Events(Closing):
    """A subscription to a namespace's changes; a context manager.

    It hears what happens from its making on.

    Raises:
        FileNotFoundError, PermissionError: as `RouteSocket`.
    """

    def __init__(
        self, namespace: Namespace | None = None, *, receive_buffer: int = 1 << 22
    ) -> None:
        self._route = RouteSocket(namespace, receive_buffer=receive_buffer)
        try:
            self._route.subscribe(RTNLGRP_LINK, RTNLGRP_TC)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """End the subscription."""
        self._route.close()

    def fileno(self) -> int:
        """The descriptor, for select and poll."""
        return self._route.fileno()

    def wait(self, timeout: float | None = None) -> list[Event]:
        """Return the next events, at least one unless `timeout` seconds pass first."""
        try:
            replies = self._route.receive(timeout)
        except OSError as problem:
            if problem.errno != errno.ENOBUFS:
                raise
            return [Overrun()]
        return [event for event in map(_event, replies) if event is not None]

    def until(self, timeout: float) -> Iterator[Event]:
        """Yield what happens in the next `timeout` seconds."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            yield from self.wait(left)


def _event(reply: Reply) -> Event | None:
    """Return what a message tells, None if it is of no interest here."""
    if reply.type in {RTM_NEWLINK, RTM_DELLINK}:
        return LinkEvent(links.parse(reply), reply.type == RTM_DELLINK)
    if reply.type in _TC:
        what, gone = _TC[reply.type]
        return TcEvent(what, TcObject(*reply), gone)
    return None
