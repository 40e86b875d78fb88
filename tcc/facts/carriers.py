"""What carries the packets of tunnels and sessions, where their devices do not say it themselves.

- A tunnel that is bound to no device (ipip, sit, gre, vti, vxlan, geneve and their relatives)
  sends where its far end is routed to, and so does WireGuard to each of its peers. It is told
  as of now: routes alter, and peers move.
- PPPoE: the kernel tells which devices carry sessions, and not which session is whose
  (/proc/net/pppoe, pppoe_seq_show() in drivers/net/ppp/pppoe.c). So it is known where all
  sessions are carried by one device.

Not known: tunnels of programs (OpenVPN, l2tpd), tunnels whose far end each packet names
(`external`), and devices whose packets leave in another namespace.
"""

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final, NamedTuple

from tcc.facts.sysfs import is_here
from tcc.netlink import wireguard
from tcc.netlink.attributes import Schema, decode
from tcc.netlink.links import Link
from tcc.netlink.namespace import Namespace
from tcc.netlink.routes import FarEnd, device_towards
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import DecodeError

ARPHRD_PPP: Final = 512


class _Numbers(NamedTuple):
    """Numbers of a tunnel kind's attributes (include/uapi/linux/if_tunnel.h, if_link.h)."""

    far: tuple[int, ...]
    mark: int | None


_IPTUN: Final = _Numbers((3,), 20)  # IFLA_IPTUN_REMOTE, _FWMARK
_GRE: Final = _Numbers((7,), 20)  # IFLA_GRE_REMOTE, _FWMARK
_VTI: Final = _Numbers((5,), 6)  # IFLA_VTI_REMOTE, _FWMARK
TUNNELS: Final[Mapping[str, _Numbers]] = {
    **dict.fromkeys(("ipip", "sit", "ip6tnl"), _IPTUN),
    **dict.fromkeys(("gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan"), _GRE),
    **dict.fromkeys(("vti", "vti6"), _VTI),
    "vxlan": _Numbers((2, 16), None),  # IFLA_VXLAN_GROUP, _GROUP6
    "geneve": _Numbers((2, 7), None),  # IFLA_GENEVE_REMOTE, _REMOTE6
}
_UNNAMED = Schema("tunnel", ())


def carriers(
    route: RouteSocket, found: Sequence[Link], root: Path, namespace: Namespace | None
) -> dict[int, tuple[str, ...]]:
    """Return the devices that carry others, by number of the one that is carried.

    Args:
        route: a socket in the namespace.
        found: all its devices.
        root: where /proc is.
        namespace: the same one, for those who are asked by another socket.
    """
    names = {link.ifindex: link.name for link in found}
    carried = {}
    for link in found:
        if link.lower or link.lower_namespace is not None:
            continue
        numbers = dict.fromkeys(device_towards(route, end) for end in _far_ends(link, namespace))
        told = tuple(names[one] for one in numbers if one in names and one != link.ifindex)
        if told:
            carried[link.ifindex] = told
    return {**carried, **_of_sessions(found, root)}


def _far_ends(link: Link, namespace: Namespace | None) -> Sequence[FarEnd]:
    if link.kind == "wireguard":
        with contextlib.suppress(OSError, DecodeError):  # it takes CAP_NET_ADMIN
            return wireguard.far_ends(namespace, link.ifindex)
        return ()
    if link.kind not in TUNNELS:
        return ()
    with contextlib.suppress(DecodeError):
        return tuple(_of_tunnel(link.data, TUNNELS[link.kind]))
    return ()


def _of_tunnel(data: bytes, numbers: _Numbers) -> Iterator[FarEnd]:
    """Yield the far end that a tunnel's own attributes name; one of zeros is none."""
    told = {name: value for name, value in decode(_UNNAMED, data) if isinstance(value, bytes)}
    mark = told.get(numbers.mark, b"") if numbers.mark is not None else b""
    for number in numbers.far:
        address = _address(told.get(number, b""))
        if address is not None and not address.is_unspecified:
            yield FarEnd(address, int.from_bytes(mark, sys.byteorder))


def _address(packed: bytes) -> IPv4Address | IPv6Address | None:
    return ip_address(packed) if len(packed) in {4, 16} else None


def _of_sessions(found: Sequence[Link], root: Path) -> dict[int, tuple[str, ...]]:
    """Return what carries PPPoE sessions, where all are carried by one device."""
    sessions = [link for link in found if link.hardware_type == ARPHRD_PPP]
    if not sessions or not is_here(sessions[0], root):
        return {}
    try:
        lines = (root / "proc/net/pppoe").read_text("ascii", "replace").splitlines()[1:]
    except OSError:
        return {}
    devices = [line.split()[-1] for line in lines if line.strip()]
    if len(devices) != len(sessions) or len(set(devices)) != 1:
        return {}
    return {link.ifindex: (devices[0],) for link in sessions}
