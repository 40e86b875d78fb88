"""What qdiscs there are: one dump of the kernel, or a facts file, as a State."""

import fcntl
import struct
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tcc.apply.codec import handle_number, settings_of
from tcc.facts import Facts
from tcc.netlink import qdisc
from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.transport import RouteSocket
from tcc.plan.state import KERNELS_OWN, Item, Place, QdiscItem, State

SIOCGIFINDEX: Final = 0x8933
_IFREQ = struct.Struct("16si20x")


@dataclass(slots=True)
class Reading:
    """A State in the making. Of every device it holds the root and what hangs below it.

    Qdiscs with handle 0: below the root are the kernel's: they come and go with the root and
    cannot be touched (qdisc_lookup() never finds them), so only their kinds are noted.
    """

    state: dict[Place, Item] = field(default_factory=dict)
    queue_kinds: dict[str, set[str]] = field(default_factory=dict)
    """Kinds of the kernel's own qdiscs below the root, by device."""
    _known: dict[tuple[str, bytes], object | None] = field(default_factory=dict)

    def take(
        self, device: str, at: str, kind: str, handle: int, options: bytes, sized: bool
    ) -> None:
        """Add one qdisc."""
        if not handle:
            if at == "root":
                self.state[Place(device, at)] = QdiscItem(kind, 0, None, options, True)
            else:
                self.queue_kinds.setdefault(device, set()).add(kind)
            return
        key = (kind, options)
        if key not in self._known:
            self._known[key] = settings_of(kind, options)
        item = QdiscItem(kind, handle, self._known[key], options, False, (), sized)
        self.state[Place(device, at)] = item

    def finish(self, devices: Iterable[str]) -> State:
        """Return the state; a device that is there has a root, if only an unseen one."""
        for device in devices:
            self.state.setdefault(Place(device, "root"), KERNELS_OWN)
        return self.state


def indexes(route: RouteSocket, devices: Iterable[str]) -> dict[str, int]:
    """Return the numbers of those `devices` that are there (netdevice(7), SIOCGIFINDEX)."""
    found = {}
    descriptor = route.fileno()
    for device in devices:
        name = device.encode("utf-8", "surrogateescape")
        if len(name) > 15:
            continue
        try:
            answer = fcntl.ioctl(descriptor, SIOCGIFINDEX, _IFREQ.pack(name, 0))
        except OSError:  # ENODEV
            continue
        found[device] = _IFREQ.unpack(answer)[1]
    return found


def of_kernel(route: RouteSocket, numbers: Mapping[str, int]) -> Reading:
    """Return what hangs on the devices `numbers`, by name, in the namespace of `route`."""
    names = {number: name for name, number in numbers.items()}
    reading = Reading()
    places: dict[int, str] = {}
    for found in qdisc.dump(route):
        device = names.get(found.ifindex)
        if device is None:
            continue
        parent = found.parent
        at = places.get(parent)
        if at is None:
            at = places[parent] = str(parent) if in_root_tree(parent) else ""
        if at:
            options = found.options or b""
            reading.take(device, at, found.kind, found.handle, options, found.sized)
    reading.finish(numbers)
    return reading


def of_facts(facts: Facts, devices: Collection[str]) -> State:
    """Return what a facts file says of `devices`; those it does not know are left out."""
    reading, there = Reading(), []
    for device in facts.devices:
        if device.name not in devices:
            continue
        there.append(device.name)
        for found in device.qdiscs:
            if found.parent == "root" or ":" in found.parent:
                options = bytes.fromhex(found.options)
                handle = handle_number(found.handle)
                reading.take(device.name, found.parent, found.kind, handle, options, found.sized)
    return reading.finish(there)


def in_root_tree(parent: Handle) -> bool:
    """Whether `parent` is the root or a class, and not the place of ingress and clsact."""
    return parent == ROOT or parent.major != 0xFFFF
