"""What the name of a device tells of it, where names are conventions that hold."""

import re

_VIRTUAL = re.compile(
    r"lo|(veth|vnet|tap|tun|wg|br|ifb|docker|dummy|lxc|lxd|vmbr|virbr|cni|cali|ns-|tailscale|zt)[-\w.*?]*"
)
_PPP = re.compile(r"(ppp|pppoe)[-\w*?]*")
_MOBILE = re.compile(r"(wwan|wwp|rmnet|ccmni|lte|5g)[-\w.*?]*")
_HOSTS = re.compile(r"br-(lan|guest|iot)|lan[0-9]*|phy[0-9]+-ap[0-9]+")

_AIR = re.compile(r"phy[0-9]+-ap[0-9]+")


def is_virtual(name: str) -> bool:
    """Whether a line to a provider can hardly be behind it: bridges, tunnels, containers."""
    return _VIRTUAL.fullmatch(name) is not None


def is_ppp(name: str) -> bool:
    """Whether it is a PPP session: pppd and OpenWrt call theirs so, and packets are bare IP."""
    return _PPP.fullmatch(name) is not None


def is_mobile(name: str) -> bool:
    """Whether it is a mobile modem: the names of the kernel, udev and Android."""
    return _MOBILE.fullmatch(name) is not None


def faces_hosts(name: str) -> bool:
    """Whether it is a LAN port, its bridge or an access point: the names of OpenWrt."""
    return _HOSTS.fullmatch(name) is not None


def is_access_point(name: str) -> bool:
    """Whether it is a wireless access point, as OpenWrt names them."""
    return _AIR.fullmatch(name) is not None


def is_ifb(name: str) -> bool:
    """Whether it is an intermediate functional block device."""
    return name.startswith("ifb")


def faces_provider(name: str) -> bool:
    """Whether it leads to a provider: mobile, or OpenWrt's `wan` and its PPPoE sessions.

    `ppp0` does not tell: on an access concentrator it leads to a customer.
    """
    return is_mobile(name) or name == "wan" or name.startswith("pppoe-")
