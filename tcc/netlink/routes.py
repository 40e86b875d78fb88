"""Which device the kernel would send a packet by, as `ip route get` asks (rtnetlink(7))."""

import socket
import struct
from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple

from tcc.netlink.attributes import Field, Schema, decode, encode
from tcc.netlink.messages import KernelRefusal, Message
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import RAW, U32, Pair

RTM_GETROUTE: Final = 26
_RTMSG: Final = struct.Struct("=8BI")
_RTA = Schema("route", (Field(1, "DST", RAW), Field(4, "OIF", U32), Field(16, "MARK", U32)))


class FarEnd(NamedTuple):
    """Where packets are sent, and the mark that rules of routing may look at; 0 is none."""

    address: IPv4Address | IPv6Address
    mark: int = 0


def device_towards(route: RouteSocket, end: FarEnd) -> int | None:
    """Return the number of the device that leads to a far end; None where none does."""
    address, mark = end
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    pairs: list[Pair] = [("DST", address.packed)]
    if mark:
        pairs.append(("MARK", mark))
    head = _RTMSG.pack(family, address.max_prefixlen, 0, 0, 0, 0, 0, 0, 0)
    try:
        reply = route.get(Message(RTM_GETROUTE, 0, head + encode(_RTA, pairs)))
    except KernelRefusal:  # unreachable, prohibited, no such family
        return None
    number = dict(decode(_RTA, reply.data, reply.start + _RTMSG.size, reply.stop)).get("OIF")
    return number if isinstance(number, int) else None
