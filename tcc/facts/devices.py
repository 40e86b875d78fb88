"""The network devices of a namespace, and what hangs on them, as facts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from tcc.facts.carriers import carriers
from tcc.facts.model import DeviceFacts, QdiscFacts
from tcc.facts.offloads import Offloads
from tcc.facts.owners import owner
from tcc.facts.sysfs import is_here, speed, steered
from tcc.netlink import links, qdisc
from tcc.netlink.handle import INGRESS, Handle
from tcc.netlink.links import Link
from tcc.netlink.namespace import Namespace
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket

_ETHERNET_HEADER = 14


def devices(
    route: RouteSocket, root: Path = Path("/"), namespace: Namespace | None = None
) -> tuple[DeviceFacts, ...]:
    """Return every device of the socket's `namespace`, in the kernel's order.

    Speeds come from /sys/class/net and owners from the daemons' files, both only for devices
    that are the very ones meant: files of another namespace are about others.

    Raises:
        OSError: the kernel would not list.
    """
    found = links.dump(route)
    names = {link.ifindex: link.name for link in found}
    hanging: dict[int, list[TcObject]] = {}
    for one in qdisc.dump(route):
        hanging.setdefault(one.ifindex, []).append(one)
    offloads = Offloads(route.fileno())
    carried = carriers(route, found, root, namespace)
    return tuple(
        replace(
            _device(link, names, hanging.get(link.ifindex, ()), root),
            offloads=offloads.on(link.name),
            carriers=carried.get(link.ifindex, ()),
        )
        for link in found
    )


def _device(
    link: Link, names: dict[int, str], hanging: Sequence[TcObject], root: Path
) -> DeviceFacts:
    header = link.hard_header_length
    below = link.lower if link.lower_namespace is None and link.kind != "veth" else None
    here = is_here(link, root)
    return DeviceFacts(
        name=link.name,
        kind=link.kind,
        index=link.ifindex,
        mtu=link.mtu,
        hard_header=_ETHERNET_HEADER if header is None else header,
        tx_queues=link.tx_queues,
        rx_queues=link.rx_queues,
        up=link.up,
        speed=speed(link.name, root) if here else None,
        lower=names.get(below or 0),
        master=names.get(link.master or 0),
        owner=owner(link.ifindex, link.name, root) if here else None,
        steered=steered(link.name, root) if here else None,
        qdiscs=tuple(qdisc_facts(hanging)),
    )


def qdisc_facts(hanging: Iterable[TcObject]) -> Iterable[QdiscFacts]:
    """Yield what the kernel says of qdiscs, in its order."""
    for one in hanging:
        kind = one.kind
        yield QdiscFacts(
            kind=kind,
            handle=f"{one.handle.major:x}:",
            parent=_parent(kind, one.parent),
            options=(one.options or b"").hex(),
            sized=one.sized,
        )


def _parent(kind: str, parent: Handle) -> str:
    return (
        (kind if kind in {"ingress", "clsact"} else "ingress") if parent == INGRESS else str(parent)
    )
