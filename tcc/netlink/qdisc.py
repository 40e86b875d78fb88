"""Requests about qdiscs and classes, and listing them."""

from dataclasses import dataclass

from tcc.netlink.attributes import attribute, encode
from tcc.netlink.handle import Handle
from tcc.netlink.messages import (
    NLM_F_CREATE,
    NLM_F_EXCL,
    NLM_F_REPLACE,
    RTM_DELQDISC,
    RTM_DELTCLASS,
    RTM_GETQDISC,
    RTM_GETTCLASS,
    RTM_NEWQDISC,
    RTM_NEWTCLASS,
    Message,
)
from tcc.netlink.objects import KIND, OPTIONS, TCA, TCMSG, TcObject, tc_body
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import NAME, Pair

ATTRIBUTES_OFFSET = 16 + TCMSG.size  # of a request's attributes, its header included


@dataclass(frozen=True, slots=True)
class QdiscMessage:
    """What a request says of one qdisc.

    Args:
        ifindex: the device.
        handle: the qdisc's own handle; UNSPECIFIED lets the kernel choose.
        parent: ROOT, INGRESS (ingress and clsact), or a class.
        kind: `cake`, `tbf`, ...; empty says nothing of it (delete).
        options: the payload of TCA_OPTIONS, made by `kinds.encode_options`;
            None sends no options at all, as tc does for kinds without any.
        ingress_block, egress_block: numbers of shared filter blocks.
        stab: pairs of `objects.STAB`, a size table in front of the qdisc.
    """

    ifindex: int
    handle: Handle
    parent: Handle
    kind: str = ""
    options: bytes | None = None
    ingress_block: int | None = None
    egress_block: int | None = None
    stab: tuple[Pair, ...] = ()

    def body(self) -> bytes:
        """Return the request's body; attributes in tc's order."""
        parts = b""
        if self.kind:
            parts = attribute(KIND, NAME.encode("KIND", self.kind))
        if self.options is not None:
            parts += attribute(OPTIONS, self.options)
        rest: list[Pair] = []
        if self.stab:
            rest.append(("STAB", self.stab))
        if self.ingress_block is not None:
            rest.append(("INGRESS_BLOCK", self.ingress_block))
        if self.egress_block is not None:
            rest.append(("EGRESS_BLOCK", self.egress_block))
        return tc_body(self.ifindex, self.handle, self.parent, 0, parts + encode(TCA, rest))


def add(qdisc: QdiscMessage) -> Message:
    """Make it; EEXIST if there is one, other than the kernel's default."""
    return Message(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, qdisc.body())


def change(qdisc: QdiscMessage) -> Message:
    """Alter the one that is there; ENOENT if there is none."""
    return Message(RTM_NEWQDISC, 0, qdisc.body())


def replace(qdisc: QdiscMessage) -> Message:
    """Make it, or alter one of the same kind and handle in place.

    Altering keeps what the request does not mention.  Another handle makes a
    new qdisc; another kind under the same handle is EINVAL.
    """
    return Message(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, qdisc.body())


def delete(qdisc: QdiscMessage) -> Message:
    """Remove it: device and parent are needed; kind and handle must fit if given."""
    return Message(RTM_DELQDISC, 0, qdisc.body())


def dump(
    route: RouteSocket, ifindex: int | None = None, *, invisible: bool = False
) -> list[TcObject]:
    """Return the qdiscs of all devices, or of one, in the kernel's order.

    The kernel always lists all devices, so one dump is best shared.  With
    `invisible` those that it hides are listed too, such as the inner qdiscs
    that it made by itself.

    Raises:
        KernelRefusal: the kernel would not list.
    """
    flag = encode(TCA, [("DUMP_INVISIBLE", True)] if invisible else [])
    found = route.dump(Message(RTM_GETQDISC, 0, tc_body(0, 0, 0, 0, flag)), TcObject)
    return found if ifindex is None else [qdisc for qdisc in found if qdisc.ifindex == ifindex]


def get(route: RouteSocket, ifindex: int, parent: Handle) -> TcObject | None:
    """Return the qdisc under `parent`; None if there is none, or no such device.

    It is looked for in a dump: asking the kernel for a single qdisc makes it
    tell every listener that the qdisc is new (qdisc_get_notify() in
    net/sched/sch_api.c), and hidden ones are found this way too.

    Raises:
        KernelRefusal: the kernel would not list.
    """
    for found in dump(route, ifindex, invisible=True):
        if found.parent == parent:
            return found
    return None


def add_class(qdisc: QdiscMessage) -> Message:
    """Make a class; `handle` is its classid, `parent` the qdisc or class above."""
    return Message(RTM_NEWTCLASS, NLM_F_CREATE | NLM_F_EXCL, qdisc.body())


def replace_class(qdisc: QdiscMessage) -> Message:
    """Make or alter a class."""
    return Message(RTM_NEWTCLASS, NLM_F_CREATE | NLM_F_REPLACE, qdisc.body())


def delete_class(qdisc: QdiscMessage) -> Message:
    """Remove a class; EBUSY while filters or classes use it."""
    return Message(RTM_DELTCLASS, 0, qdisc.body())


def dump_classes(route: RouteSocket, ifindex: int) -> list[TcObject]:
    """Return the classes of one device; none if it is not there.

    Raises:
        KernelRefusal: the kernel would not list.
    """
    return route.dump(Message(RTM_GETTCLASS, 0, tc_body(ifindex, 0, 0, 0, b"")), TcObject)
