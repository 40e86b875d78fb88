"""What there is: one dump of the kernel's qdiscs, or a facts file, as a State."""

import fcntl
import struct
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tcc.apply.codec import handle_number, settings_of
from tcc.facts import Facts
from tcc.netlink import qdisc
from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket
from tcc.plan.state import (
    HOOK,
    KERNELS_OWN,
    LINK,
    NOTHING,
    HookItem,
    Item,
    LinkItem,
    Place,
    QdiscItem,
    State,
    is_tree,
)

SIOCGIFNAME: Final = 0x8910
SIOCGIFINDEX: Final = 0x8933
_IFREQ = struct.Struct("16si20x")


@dataclass(slots=True)
class Reading:
    """A State in the making. Of every device it holds the root and what hangs below it.

    Qdiscs with handle 0: below the root are the kernel's: they come and go with the root and
    cannot be touched (qdisc_lookup() never finds them), so only their kinds are noted.
    """

    state: dict[Place, Item] = field(default_factory=dict)
    hooks: dict[str, HookItem] = field(default_factory=dict)
    """What hangs where ingress and clsact do, by device; their filters are not counted yet."""
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


def name_of(route: RouteSocket, number: int) -> str:
    """Return the name of the device `number`, empty where there is none (SIOCGIFNAME)."""
    if number <= 0:
        return ""
    try:
        answer = fcntl.ioctl(route.fileno(), SIOCGIFNAME, _IFREQ.pack(b"", number))
    except OSError:  # ENODEV
        return ""
    name: bytes = _IFREQ.unpack(answer)[0]
    return name.rstrip(b"\0").decode("utf-8", "surrogateescape")


def of_kernel(
    route: RouteSocket, numbers: Mapping[str, int], trees: Collection[str] | None = None
) -> Reading:
    """Return what hangs on the devices `numbers`, by name, in the namespace of `route`.

    Of `trees`, by default of all, it is the root and what hangs below it; of all the hook.
    """
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
        if not at:
            reading.hooks[device] = HookItem(found.kind, shared=_is_shared(found))
        elif trees is None or device in trees:
            options = found.options or b""
            reading.take(device, at, found.kind, found.handle, options, found.sized)
    reading.finish(numbers if trees is None else [name for name in numbers if name in trees])
    return reading


def _is_shared(found: TcObject) -> bool:
    """Whether its filters are in a block that has a number, and may be those of others."""
    return any(name in {"INGRESS_BLOCK", "EGRESS_BLOCK"} for name, _ in found.attributes)


def of_facts(facts: Facts, wanted: State) -> State:
    """Return what a facts file says of the places of `wanted`.

    Devices that it does not know are left out. It knows neither filters nor nftables, so
    none are taken to be there.
    """
    reading, there = Reading(), []
    trees = {place.device for place in wanted if is_tree(place)}
    for device in facts.devices:
        if device.name not in trees:
            continue
        there.append(device.name)
        for found in device.qdiscs:
            if found.parent == "root" or ":" in found.parent:
                options = bytes.fromhex(found.options)
                handle = handle_number(found.handle)
                reading.take(device.name, found.parent, found.kind, handle, options, found.sized)
    reading.finish(there)
    for place in wanted:
        if not is_tree(place) and (place.at == LINK or facts.device(place.device)):
            reading.state[place] = _rest_of_facts(facts, place)
    return reading.state


def _rest_of_facts(facts: Facts, place: Place) -> Item:
    device = facts.device(place.device)
    if device is not None and place.at == LINK:
        return LinkItem(device.kind, device.up, device.tx_queues, device.index or 0)
    if device is not None and place.at == HOOK:
        for found in device.qdiscs:
            if found.parent in {"ingress", "clsact"}:
                return HookItem(found.kind)
    return NOTHING


def in_root_tree(parent: Handle) -> bool:
    """Whether `parent` is the root or a class, and not the place of ingress and clsact."""
    return parent == ROOT or parent.major != 0xFFFF
