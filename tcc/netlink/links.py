"""Network devices: listing them, making veth and ifb, setting them up and down.

Attributes are those of include/uapi/linux/if_link.h.
"""

import errno
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tcc.netlink.attributes import Field, Nested, Schema, decode, encode
from tcc.netlink.messages import (
    IFINFOMSG,
    NLM_F_CREATE,
    NLM_F_EXCL,
    RTM_DELLINK,
    RTM_GETLINK,
    RTM_NEWLINK,
    Ack,
    KernelRefusal,
    Message,
    Reply,
)
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import NAME, RAW, S32, TEXT, U8, U32, DecodeError, Pair, Value

IFF_UP: Final = 0x1
IFF_RUNNING: Final = 0x40
IFF_LOWER_UP: Final = 0x10000
RTEXT_FILTER_SKIP_STATS: Final = 8

OPERSTATES: Final = (
    "unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up",
)  # fmt: skip

LINKINFO = Schema("linkinfo", (Field(1, "KIND", NAME), Field(2, "DATA", RAW)))
IFLA = Schema(
    "link",
    (
        Field(1, "ADDRESS", RAW),
        Field(3, "IFNAME", NAME),
        Field(4, "MTU", U32),
        Field(5, "LINK", U32),
        Field(6, "QDISC", TEXT),
        Field(10, "MASTER", U32),
        Field(13, "TXQLEN", U32),
        Field(16, "OPERSTATE", U8),
        Field(18, "LINKINFO", Nested(LINKINFO)),
        Field(19, "NET_NS_PID", U32),
        Field(20, "IFALIAS", TEXT),
        Field(27, "GROUP", U32),
        Field(28, "NET_NS_FD", U32),
        Field(29, "EXT_MASK", U32),
        Field(31, "NUM_TX_QUEUES", U32),
        Field(32, "NUM_RX_QUEUES", U32),
        Field(33, "CARRIER", U8),
        Field(37, "LINK_NETNSID", S32),
        Field(40, "GSO_MAX_SEGS", U32),
        Field(41, "GSO_MAX_SIZE", U32),
        Field(53, "ALT_IFNAME", TEXT),
        Field(58, "GRO_MAX_SIZE", U32),
        Field(59, "TSO_MAX_SIZE", U32),
        Field(60, "TSO_MAX_SEGS", U32),
        Field(63, "GSO_IPV4_MAX_SIZE", U32),
        Field(64, "GRO_IPV4_MAX_SIZE", U32),
    ),
)
VETH_PEER: Final = 1

ARPHRD_ETHER: Final = 1
_HARD_HEADER: Final[Mapping[int, int]] = {
    ARPHRD_ETHER: 14,
    512: 4,  # ARPHRD_PPP: the header that ppp_generic reserves
    519: 0,  # ARPHRD_RAWIP
    772: 14,  # ARPHRD_LOOPBACK: its packets carry an Ethernet header
    0xFFFE: 0,  # ARPHRD_NONE: tun, wireguard
}


@dataclass(frozen=True, slots=True)
class Link:
    """One network device as the kernel reports it.

    Sizes are bytes.  `kind` is empty for hardware and loopback.  `lower` is the
    device below (of a vlan, the peer of a veth); when `lower_namespace` is not
    None that device is in another namespace.  `hard_header_length` follows
    from the hardware type, None where the type does not tell it (tunnels).
    `txqueuelen` is packets; `data` are the attributes of its kind alone
    (IFLA_INFO_DATA).  Limits that the kernel does not report are None.
    """

    ifindex: int
    name: str
    kind: str
    hardware_type: int
    flags: int
    mtu: int
    address: bytes
    operstate: str
    qdisc: str
    tx_queues: int
    rx_queues: int
    txqueuelen: int
    group: int
    master: int | None
    lower: int | None
    lower_namespace: int | None
    gso_max_size: int | None
    gso_max_segs: int | None
    gso_ipv4_max_size: int | None
    gro_max_size: int | None
    alias: str
    data: bytes

    @property
    def up(self) -> bool:
        """Whether it is administratively up."""
        return bool(self.flags & IFF_UP)

    @property
    def hard_header_length(self) -> int | None:
        """Bytes of link-layer header that qdiscs see; None if the type does not say."""
        return _HARD_HEADER.get(self.hardware_type)


def parse(reply: Reply) -> Link:
    """Read one RTM_NEWLINK or RTM_DELLINK; raise `DecodeError` if it is malformed."""
    if reply.stop - reply.start < IFINFOMSG.size:
        raise DecodeError("ifinfomsg", f"{reply.stop - reply.start} bytes are too few")
    _, hardware, ifindex, flags, _ = IFINFOMSG.unpack_from(reply.data, reply.start)
    values = dict(decode(IFLA, reply.data, reply.start + IFINFOMSG.size, reply.stop))
    info = values.get("LINKINFO")
    told = dict(info) if isinstance(info, list) else {}
    kind, data = told.get("KIND"), told.get("DATA")
    address = values.get("ADDRESS")
    state = _number(values, "OPERSTATE") or 0
    return Link(
        ifindex=ifindex,
        name=_text(values, "IFNAME"),
        kind=kind if isinstance(kind, str) else "",
        hardware_type=hardware,
        flags=flags,
        mtu=_number(values, "MTU") or 0,
        address=address if isinstance(address, bytes) else b"",
        operstate=OPERSTATES[state] if state < len(OPERSTATES) else str(state),
        qdisc=_text(values, "QDISC"),
        tx_queues=_number(values, "NUM_TX_QUEUES") or 1,
        rx_queues=_number(values, "NUM_RX_QUEUES") or 1,
        txqueuelen=_number(values, "TXQLEN") or 0,
        group=_number(values, "GROUP") or 0,
        master=_number(values, "MASTER"),
        lower=_number(values, "LINK"),
        lower_namespace=_number(values, "LINK_NETNSID"),
        gso_max_size=_number(values, "GSO_MAX_SIZE"),
        gso_max_segs=_number(values, "GSO_MAX_SEGS"),
        gso_ipv4_max_size=_number(values, "GSO_IPV4_MAX_SIZE"),
        gro_max_size=_number(values, "GRO_MAX_SIZE"),
        alias=_text(values, "IFALIAS"),
        data=data if isinstance(data, bytes) else b"",
    )


def _number(values: Mapping[str | int, Value], name: str) -> int | None:
    value = values.get(name)
    return value if isinstance(value, int) else None


def _text(values: Mapping[str | int, Value], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _body(pairs: list[Pair], ifindex: int = 0, flags: int = 0, change: int = 0) -> bytes:
    header = IFINFOMSG.pack(socket.AF_UNSPEC, 0, ifindex, flags, change)
    return header + encode(IFLA, pairs)


def dump(route: RouteSocket) -> list[Link]:
    """Return all devices of the namespace.

    Raises:
        KernelRefusal: the kernel would not list.
    """
    body = _body([("EXT_MASK", RTEXT_FILTER_SKIP_STATS)])
    return [parse(reply) for reply in route.dump(Message(RTM_GETLINK, 0, body), Reply)]


def by_name(route: RouteSocket, name: str) -> Link:
    """Return the device `name`.

    Raises:
        KernelRefusal: ENODEV if there is none.
        EncodeError: the name is longer than 15 bytes.
    """
    body = _body([("IFNAME", name), ("EXT_MASK", RTEXT_FILTER_SKIP_STATS)])
    return parse(route.get(Message(RTM_GETLINK, 0, body)))


def by_index(route: RouteSocket, ifindex: int) -> Link:
    """Return the device with this number; `KernelRefusal` with ENODEV if there is none."""
    if ifindex <= 0:
        raise KernelRefusal(Ack(0, errno.ENODEV))
    body = _body([("EXT_MASK", RTEXT_FILTER_SKIP_STATS)], ifindex)
    return parse(route.get(Message(RTM_GETLINK, 0, body)))


def _queues(tx_queues: int, rx_queues: int) -> list[Pair]:
    return [("NUM_TX_QUEUES", tx_queues), ("NUM_RX_QUEUES", rx_queues)]


def _create(pairs: list[Pair], kind: str, data: bytes) -> Message:
    info: list[Pair] = [("KIND", kind), ("DATA", data)]
    return Message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, _body([*pairs, ("LINKINFO", info)]))


def create_veth(
    name: str,
    peer: str,
    *,
    tx_queues: int = 1,
    rx_queues: int = 1,
    peer_namespace: int | None = None,
) -> Message:
    """Make a pair of devices, both with these queues.

    `peer_namespace` is an open descriptor of the namespace that the peer goes to.
    """
    pairs: list[Pair] = [("IFNAME", peer), *_queues(tx_queues, rx_queues)]
    if peer_namespace is not None:
        pairs.append(("NET_NS_FD", peer_namespace))
    data = encode(_VETH, [("PEER", _body(pairs))])
    return _create([("IFNAME", name), *_queues(tx_queues, rx_queues)], "veth", data)


_VETH = Schema("veth", (Field(VETH_PEER, "PEER", RAW),))


def create_ifb(
    name: str,
    *,
    tx_queues: int = 1,
    rx_queues: int = 1,
    ifindex: int = 0,
    address: bytes = b"",
    up: bool = False,
) -> Message:
    """Make an intermediate functional block device; rx counts are what the driver takes.

    With `ifindex` it gets that number (EBUSY if another has it), with `address` that
    hardware address; the kernel chooses otherwise.
    """
    pairs: list[Pair] = [("IFNAME", name), *_queues(tx_queues, rx_queues)]
    if address:
        pairs.append(("ADDRESS", address))
    pairs.append(("LINKINFO", [("KIND", "ifb")]))
    flags = IFF_UP if up else 0
    body = _body(pairs, ifindex, flags, flags)
    return Message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, body)


def delete(ifindex: int) -> Message:
    """Remove a device; ENODEV if it is gone, EOPNOTSUPP if it is hardware."""
    return Message(RTM_DELLINK, 0, _body([], ifindex))


def set_up(ifindex: int) -> Message:
    """Bring a device up."""
    return Message(RTM_NEWLINK, 0, _body([], ifindex, IFF_UP, IFF_UP))


def set_down(ifindex: int) -> Message:
    """Take a device down."""
    return Message(RTM_NEWLINK, 0, _body([], ifindex, 0, IFF_UP))


def set_mtu(ifindex: int, mtu: int) -> Message:
    """Change a device's MTU, in bytes."""
    return Message(RTM_NEWLINK, 0, _body([("MTU", mtu)], ifindex))


def set_txqueuelen(ifindex: int, packets: int) -> Message:
    """Change a device's queue length; qdiscs read it when they are made."""
    return Message(RTM_NEWLINK, 0, _body([("TXQLEN", packets)], ifindex))
