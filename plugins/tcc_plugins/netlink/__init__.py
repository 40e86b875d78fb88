"""The `netlink` back end: the traffic control of a running kernel."""

from tcc_plugins.netlink.backend import Netlink
from tcc_plugins.netlink.host import Host

__all__ = ["Host", "Netlink"]
