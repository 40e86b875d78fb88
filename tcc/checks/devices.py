"""What the name of a device tells of it, where names are conventions that hold."""

import re

_VIRTUAL = re.compile(
    r"lo|(veth|vnet|vboxnet|tap|tun|wg|br|ifb|docker|dummy|lxc|lxd|vmbr|virbr|cni|cali|ns-|tailscale|zt)[-\w.*?]*"
)
_PPP = re.compile(r"(ppp|pppoe)[-\w*?]*")
_CARRIER = re.compile(r"(wan|(dsl|ptm|atm|nas)[0-9]*)(\.[0-9]+)?")
_MOBILE = re.compile(r"(wwan|wwp|rmnet|ccmni|lte|5g)[-\w.*?]*")
_HOSTS = re.compile(
    r"br-(lan|guest|iot|[0-9a-f]{12})|lan[0-9]*|phy[0-9]+-ap[0-9]+|wlan[0-9]+-[0-9]+"
    r"|vboxnet[0-9]+|docker[0-9]+|podman[0-9]+|virbr[0-9]+|cni[0-9]+|(lxc|lxd|incus)br[0-9]+"
)
_AIR = re.compile(r"phy[0-9]+-ap[0-9]+|wlan[0-9]+-[0-9]+")
_WIREGUARD = re.compile(r"wg[-\w.*?]*")
_STACKED = re.compile(r"(wg|br-|ifb|docker|virbr|veth|dummy|gre|sit|ipip|vti)[-\w.*?]*|br[0-9]+")


def is_virtual(name: str) -> bool:
    """Whether a line to a provider can hardly be behind it: bridges, tunnels, containers."""
    return _VIRTUAL.fullmatch(name) is not None


def is_ppp(name: str) -> bool:
    """Whether it is a PPP session: pppd and OpenWrt call theirs so, and packets are bare IP."""
    return _PPP.fullmatch(name) is not None


def is_carrier(name: str) -> bool:
    """Whether it is what a PPP session is on: a DSL modem in the router, OpenWrt's port `wan`."""
    return _CARRIER.fullmatch(name) is not None


def is_mobile(name: str) -> bool:
    """Whether it is a mobile modem: the names of the kernel, udev and Android."""
    return _MOBILE.fullmatch(name) is not None


def faces_hosts(name: str) -> bool:
    """Whether it is a LAN port, an access point, or a bridge of either or of containers.

    The names are those of OpenWrt, VirtualBox, Docker, Podman, libvirt, CNI and LXC.
    """
    return _HOSTS.fullmatch(name) is not None


def is_access_point(name: str) -> bool:
    """Whether it is a wireless access point, as OpenWrt names them."""
    return _AIR.fullmatch(name) is not None


def is_wireguard(name: str) -> bool:
    """Whether it is a WireGuard tunnel, as wg-quick(8) and everybody else calls theirs."""
    return _WIREGUARD.fullmatch(name) is not None


def is_passed_through(name: str) -> bool:
    """Whether it hands packets on at once, so that nothing ever waits in its own queue.

    Tunnels, bridges, VLANs (`eth0.5`) and PPPoE sessions do; a device with a ring does not.
    """
    _, dot, tag = name.rpartition(".")
    return bool(_STACKED.fullmatch(name)) or is_ppp(name) or bool(dot and tag.isdigit())


def is_ifb(name: str) -> bool:
    """Whether it is an intermediate functional block device."""
    return name.startswith("ifb")


def faces_provider(name: str) -> bool:
    """Whether it leads to a provider: mobile, or OpenWrt's `wan` and its PPPoE sessions.

    `ppp0` does not tell: on an access concentrator it leads to a customer.
    """
    return is_mobile(name) or name == "wan" or name.startswith("pppoe-")
