"""Looking at the kernel: every qdisc of a namespace with its counters, and the devices' names."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tcc.closing import Closing
from tcc.netlink import links, samples
from tcc.netlink.namespace import Namespace
from tcc.netlink.samples import Sample
from tcc.netlink.transport import RouteSocket

RTNLGRP_LINK: Final = 1


@dataclass(frozen=True, slots=True)
class Device:
    """A device's name, printable, and its kind of link."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Look:
    """What was there at one moment; `clock` is monotonic, `time` since 1970, both ns."""

    clock: int
    time: int
    samples: list[Sample]
    devices: Mapping[int, Device]


class Reader(Closing):
    """Looks at one namespace again and again; a context manager.

    Devices are listed again only after the kernel has told of a change of one.

    Raises:
        FileNotFoundError, PermissionError: as `tcc.netlink.namespace.route_socket`.
    """

    def __init__(self, namespace: Namespace | None = None) -> None:
        self.route = RouteSocket(namespace)
        try:
            self._events = RouteSocket(namespace, receive_buffer=1 << 16)
            self._events.subscribe(RTNLGRP_LINK)
        except BaseException:
            self.route.close()
            raise
        self._devices: Mapping[int, Device] | None = None

    def close(self) -> None:
        """Give the sockets back."""
        self.route.close()
        self._events.close()

    def look(self) -> Look:
        """Return what is there now.

        Raises:
            OSError: the kernel would not list.
            DecodeError: malformed data.
        """
        if self._devices is None or self._changed():
            self._devices = {
                link.ifindex: Device(printable(link.name), link.kind)
                for link in links.dump(self.route)
            }
        clock = time.monotonic_ns()
        found = samples.read(self.route)
        return Look(clock, time.time_ns(), found, self._devices)

    def _changed(self) -> bool:
        """Whether the kernel has told of devices since the last look."""
        changed = False
        while True:
            try:
                if not self._events.receive(0):
                    return changed
            except OSError:  # ENOBUFS: there was more than the buffer holds
                pass
            changed = True


def printable(name: str) -> str:
    """Return the name of a device with the bytes that are no UTF-8 written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
