"""What facts tell of a kernel, its devices, its firewall and its daemons."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tcc.doctor.finding import Finding, look, ok
from tcc.facts import DeviceFacts, Facts
from tcc.lower.hindrances import SHAPERS, offload_cure
from tcc.lower.nft import MARK

CONNECTION_BITS: Final = MARK.dscp | MARK.valid
DEFAULT_QDISC: Final = "net.core.default_qdisc"
FORWARD_PRIORITY: Final = "net.ipv4.ip_forward_update_priority"
MODULES: Final[Mapping[str, str]] = {
    "cake": "sch_cake", "ifb": "ifb", "clsact": "sch_ingress", "mirred": "act_mirred",
    "ctinfo": "act_ctinfo", "skbedit": "act_skbedit", "matchall": "cls_matchall",
}  # fmt: skip
ON_OPENWRT: Final[Mapping[str, str]] = {
    "cake": "kmod-sched-cake", "ifb": "kmod-ifb", "clsact": "kmod-sched-core",
    "mirred": "kmod-sched-core", "ctinfo": "kmod-sched-ctinfo", "skbedit": "kmod-sched-core",
    "matchall": "kmod-sched-core", "nft": "nftables",
}  # fmt: skip
MERGED: Final = ("lro",)
"""What merges packets so that nothing can take them apart as they were; GRO can be."""


def findings(facts: Facts) -> Iterator[Finding]:
    """Yield everything that facts tell, good or bad."""
    yield ok("system", _system(facts))
    if facts.qdiscs:
        yield from _shapers(facts)
        yield from _ingress(facts)
        yield from _tiers(facts)
    yield from _short_cuts(facts)
    yield from _marks(facts)
    yield from _default(facts)
    for device in facts.devices:
        yield from of_device(device, facts)


def _system(facts: Facts) -> str:
    parts = [f"Linux {facts.kernel}"]
    if facts.openwrt is not None:
        parts.append(f"OpenWrt {facts.openwrt}")
    parts += [f"{name} {version}" for name, version in sorted(facts.packages.items())]
    return ", ".join(parts)


def _install(what: str, facts: Facts) -> str:
    """Return the command that brings a part of the kernel, or a program."""
    if facts.openwrt is not None:
        return f"opkg update; opkg install {ON_OPENWRT[what]} (or: apk add {ON_OPENWRT[what]})"
    if what == "nft":
        return "apt install nftables"
    return (
        f"modprobe {MODULES[what]}; if there is none: apt install linux-image-$(uname -r), or a "
        "kernel that has it"
    )


def _shapers(facts: Facts) -> Iterator[Finding]:
    there = [kind for kind in ("cake", "tbf") if kind in facts.qdiscs]
    if "cake" in there:
        more = " and cake_mq" if "cake_mq" in facts.qdiscs else ""
        yield ok("cake", f"the kernel has cake{more}")
    elif there:
        yield look(
            "cake",
            "the kernel has tbf and no cake: `qdisc auto` takes tbf until it does",
            _install("cake", facts),
        )
    else:
        yield look("cake", "the kernel has nothing that shapes", _install("cake", facts))


def _ingress(facts: Facts) -> Iterator[Finding]:
    lacks = []
    if "ifb" not in facts.links:
        lacks.append("ifb")
    if not {"clsact", "ingress"} & set(facts.qdiscs):
        lacks.append("clsact")
    if not {"matchall", "u32", "bpf"} & set(facts.filters):
        lacks.append("matchall")
    if "mirred" not in facts.actions:
        lacks.append("mirred")
    for what in lacks:
        yield look("ingress", f"ingress cannot be shaped without {what}", _install(what, facts))
    if not lacks:
        yield ok("ingress", "what comes in can be shaped (ifb, a filter for all, mirred)")


def _tiers(facts: Facts) -> Iterator[Finding]:
    lacks = [] if facts.nft else ["nft"]
    if "ctinfo" not in facts.actions:
        lacks.append("ctinfo")
    for what in lacks:
        reach = "of what comes in " if what == "ctinfo" else ""
        yield look(
            "tiers",
            f"tiers {reach}can match DSCPs alone: there is no {what}",
            _install(what, facts),
        )
    if not lacks:
        yield ok("tiers", "tiers can be marked in both directions (nft, ctinfo)")


def _short_cuts(facts: Facts) -> Iterator[Finding]:
    if facts.flowtables is not None and not facts.flowtables:
        yield ok("offload", "no flowtable leads packets past the firewall")
    for table in facts.flowtables or ():
        names = ", ".join(table.devices)
        what = (
            f"the flowtable {table.name} of {table.table} lets the hardware forward past every "
            f"qdisc: {names}"
            if table.hardware
            else f"the flowtable {table.name} of {table.table} leads flows past rules that mark "
            f"tiers: {names}"
        )
        yield look("offload", what, offload_cure(table, facts))
    for module in facts.accelerators:
        yield look(
            "accelerator",
            f"the module {module} forwards flows past the kernel's queues",
            f"rmmod {module}; and keep it from being loaded: it is named in /etc/modules.d or "
            "/etc/modules",
        )


def _marks(facts: Facts) -> Iterator[Finding]:
    users = {
        use.who: use.mask
        for use in facts.marks or ()
        if use.mark == "connection" and use.mask & CONNECTION_BITS
    }
    for who, mask in users.items():
        yield look(
            "marks",
            f"{who} uses bits {mask & CONNECTION_BITS:#x} of connection marks, which tiers take",
            f"give it bits outside of {CONNECTION_BITS:#x}, or tiers others (`connection-mark`)",
        )
    if facts.marks is not None and not users:
        others = len({use.who for use in facts.marks})
        more = f"; {others} others use other marks" if others else ""
        yield ok("marks", f"nobody else uses the bits of connection marks that tiers take{more}")


def _default(facts: Facts) -> Iterator[Finding]:
    default = facts.sysctls.get(DEFAULT_QDISC)
    if default is None:
        return
    if default == "cake" and facts.sysctls.get(FORWARD_PRIORITY) != "0":
        yield look(
            "default-qdisc",
            "cake as default qdisc has the handle 0, so that AF41 over IPv4 is not in its tin",
            f"sysctl -w {FORWARD_PRIORITY}=0, or sysctl -w {DEFAULT_QDISC}=fq_codel",
        )
    else:
        yield ok("default-qdisc", f"{DEFAULT_QDISC} is {default}")


def of_device(device: DeviceFacts, facts: Facts) -> Iterator[Finding]:
    """Yield what one device tells; most tell nothing."""
    name = device.name
    if device.owner is not None:
        yield _owned(device)
    merged = [one for one in MERGED if one in (device.offloads or ())]
    if merged:
        words = " ".join(f"{one} off" for one in merged)
        yield look(
            "merging",
            f"the hardware of {name} merges packets ({', '.join(merged)}), which a shaper cannot "
            "take apart as they were",
            f"ethtool -K {name} {words}",
        )
    if _is_hardware(device):
        yield from _hardware(device, facts)
    roots = [one for one in device.qdiscs if one.parent == "root" and one.kind in SHAPERS]
    if "gso" in (device.offloads or ()) and any(one.kind == "tbf" for one in roots):
        yield ok("gso", f"{name} sends super-packets (gso), which tbf splits where they do not fit")


def _owned(device: DeviceFacts) -> Finding:
    name = device.name
    there = f"or shape {name} there: tcc generate"
    cures = {
        "sqm": "/etc/init.d/sqm stop; uci set sqm.@queue[0].enabled=0; uci commit sqm; " + there,
        "qosmate": "/etc/init.d/qosmate stop; /etc/init.d/qosmate disable; " + there,
        "networkmanager": f"nmcli connection show --active; of the profile of {name}: "
        "nmcli connection modify PROFILE tc.qdiscs '' tc.tfilters ''",
        "networkd": f"networkctl status {name}; keep qdiscs out of the file that it names",
    }
    owner = device.owner or ""
    if owner in {"sqm", "qosmate"}:
        return look("owner", f"{name} is shaped by {owner}, which would undo what is applied",
                    cures[owner])  # fmt: skip
    return look(
        "owner", f"{name} is managed by {owner}, which may replace its qdiscs", cures[owner]
    )


def _is_hardware(device: DeviceFacts) -> bool:
    return not device.kind and device.name != "lo" and device.up


def _hardware(device: DeviceFacts, facts: Facts) -> Iterator[Finding]:
    name, cpus = device.name, facts.cpus or 1
    if device.speed is None:
        yield ok("speed", f"the driver of {name} tells no speed: write rates, not shares of it")
    if device.rx_queues == 1 and cpus > 1 and device.steered is False:
        mask = f"{(1 << min(cpus, 32)) - 1:x}"
        yield look(
            "steering",
            f"{name} has one receive queue and its packets are not spread over {cpus} processors",
            f"echo {mask} > /sys/class/net/{name}/queues/rx-0/rps_cpus"
            + ("; on OpenWrt: uci set network.globals.packet_steering=1; uci commit network"
               if facts.openwrt else ""),
        )  # fmt: skip


def in_order(found: Iterable[Finding]) -> list[Finding]:
    """Return findings with what is to look at first, each once."""
    order = {"look": 0, "unknown": 1, "ok": 2}
    return sorted(dict.fromkeys(found), key=lambda one: order[one.state])
