"""Everything that shaping depends on, found out on this machine."""

import os
from dataclasses import dataclass
from pathlib import Path

from tcc.facts import openwrt
from tcc.facts.devices import devices
from tcc.facts.firewall import firewall
from tcc.facts.kernel_marks import filter_marks, rule_marks
from tcc.facts.kinds import probe
from tcc.facts.model import Facts
from tcc.facts.sysctls import COMMON_TICKS, sysctls, ticks_per_us
from tcc.netlink import qdisc
from tcc.netlink.namespace import Namespace, inside
from tcc.netlink.transport import RouteSocket


@dataclass(frozen=True, slots=True)
class Gathered:
    """Facts, and sentences about what could not be found out."""

    facts: Facts
    unknown: tuple[str, ...]


def gather(namespace: Namespace | None = None, root: Path = Path("/")) -> Gathered:
    """Return the facts of a network namespace; None is the one of this process.

    Raises:
        FileNotFoundError: there is no such namespace.
        PermissionError: entering it takes CAP_SYS_ADMIN.
        OSError: the kernel would not list its devices.
    """
    unknown = []
    with RouteSocket(namespace) as route:
        found = devices(route, root, namespace)
        names = {device.index or 0: device.name for device in found}
        by_kernel = (*rule_marks(route), *filter_marks(route, qdisc.dump(route), names))
    walls = inside(namespace, firewall)
    if walls.marks is None:
        unknown.append("flowtables and users of marks: listing them takes nft(8) and root")
    kinds = probe()
    if kinds is None:
        unknown.append(
            "which kinds of qdisc, filter and action the kernel has: trying them takes root, "
            "or user namespaces"
        )
    ticks = ticks_per_us(root)
    if ticks is None:
        unknown.append("the packet scheduler's clock: /proc/net/psched cannot be read")
    if all(device.speed is None for device in found):
        unknown.append("the speed of any device: no driver tells it")
    facts = Facts(
        kernel=os.uname().release,
        qdiscs=kinds.qdiscs if kinds else (),
        filters=kinds.filters if kinds else (),
        actions=kinds.actions if kinds else (),
        links=kinds.links if kinds else (),
        nft=kinds.nft if kinds else None,
        devices=found,
        sysctls=inside(namespace, lambda: sysctls(root)),
        ticks_per_us=ticks or COMMON_TICKS,
        openwrt=openwrt.release(root),
        packages=openwrt.packages(root),
        flowtables=walls.flowtables,
        marks=None if walls.marks is None else (*walls.marks, *dict.fromkeys(by_kernel)),
        accelerators=openwrt.accelerators(root),
        cpus=os.cpu_count(),
    )
    return Gathered(facts, tuple(unknown))
