"""The far ends of WireGuard devices, over generic netlink (include/uapi/linux/wireguard.h).

Asking takes CAP_NET_ADMIN. The kernel's answer has the keys in it; they are passed over.
"""

import socket
import struct
import sys
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from tcc.netlink.attributes import Field, Nested, Schema, decode, encode
from tcc.netlink.messages import Message, Reply
from tcc.netlink.namespace import Namespace
from tcc.netlink.routes import FarEnd
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import NAME, RAW, U16, U32, DecodeError, Value

NETLINK_GENERIC: Final = 16
GENL_ID_CTRL: Final = 16
CTRL_CMD_GETFAMILY: Final = 3
WG_CMD_GET_DEVICE: Final = 0
_GENLMSGHDR: Final = struct.Struct("=BBH")
_CTRL = Schema("family", (Field(1, "FAMILY_ID", U16), Field(2, "FAMILY_NAME", NAME)))
_PEER = Schema("peer", (Field(4, "ENDPOINT", RAW),))
_PEERS = Schema("peers", ())
_DEVICE = Schema("device", (Field(1, "IFINDEX", U32), Field(7, "FWMARK", U32),
                            Field(8, "PEERS", Nested(_PEERS))))  # fmt: skip
_SOCKADDR_IN: Final = struct.Struct("=HH4s")
_SOCKADDR_IN6: Final = struct.Struct("=HHI16s")


def far_ends(namespace: Namespace | None, ifindex: int) -> tuple[FarEnd, ...]:
    """Return the far ends of the peers of one WireGuard device, as far as it knows them by now.

    Raises:
        OSError: the kernel would not tell (EPERM without CAP_NET_ADMIN).
    """
    with RouteSocket(namespace, protocol=NETLINK_GENERIC) as generic:
        family = _number(generic)
        head = _GENLMSGHDR.pack(WG_CMD_GET_DEVICE, 1, 0)
        body = head + encode(_DEVICE, [("IFINDEX", ifindex)])
        replies = generic.dump(Message(family, 0, body), Reply)
    return tuple(dict.fromkeys(end for reply in replies for end in told(_payload(reply))))


def _number(generic: RouteSocket) -> int:
    """Return the number that the kernel has given to the family."""
    head = _GENLMSGHDR.pack(CTRL_CMD_GETFAMILY, 1, 0)
    body = head + encode(_CTRL, [("FAMILY_NAME", "wireguard")])
    reply = generic.get(Message(GENL_ID_CTRL, 0, body))
    number = dict(decode(_CTRL, _payload(reply))).get("FAMILY_ID")
    if not isinstance(number, int):
        raise DecodeError("family", "has no number")
    return number


def _payload(reply: Reply) -> bytes:
    return reply.data[reply.start + _GENLMSGHDR.size : reply.stop]


def told(attributes: bytes) -> Iterator[FarEnd]:
    """Yield the far ends that one message about a device tells of."""
    values = dict(decode(_DEVICE, attributes))
    mark, peers = values.get("FWMARK"), values.get("PEERS")
    for _, peer in peers if isinstance(peers, list) else ():
        if isinstance(peer, bytes):
            address = _address(dict(decode(_PEER, peer)).get("ENDPOINT"))
            if address is not None:
                yield FarEnd(address, mark if isinstance(mark, int) else 0)


def _address(endpoint: Value | None) -> IPv4Address | IPv6Address | None:
    """Return the address in a sockaddr_in or sockaddr_in6; None for a peer not heard of yet."""
    if not isinstance(endpoint, bytes) or len(endpoint) < _SOCKADDR_IN.size:
        return None
    family = int.from_bytes(endpoint[:2], sys.byteorder)
    if family == socket.AF_INET:
        return IPv4Address(_SOCKADDR_IN.unpack_from(endpoint)[2])
    if family == socket.AF_INET6 and len(endpoint) >= _SOCKADDR_IN6.size:
        return IPv6Address(_SOCKADDR_IN6.unpack_from(endpoint)[3])
    return None
