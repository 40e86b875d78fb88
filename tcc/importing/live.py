"""What shapes on this machine: qdiscs and redirects as the kernel tells them over netlink."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tcc import plugin
from tcc.facts import DeviceFacts
from tcc.facts.gather import gather
from tcc.importing.found import Imported, Kind, Remark
from tcc.importing.links import links_of
from tcc.importing.machine import Machine, Redirect
from tcc.importing.shell import Command
from tcc.netlink import actions, filters
from tcc.netlink.handle import CLSACT_INGRESS, INGRESS_HANDLE
from tcc.netlink.namespace import Namespace
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import DecodeError, EncodeError

PROTOCOLS: Final = {filters.ETH_P_ALL: "all", filters.ETH_P_IP: "ip", filters.ETH_P_IPV6: "ipv6"}
HOOKS: Final = ("ingress", "clsact")
TARGETS_PER_INTERVAL: Final = 20


def read_live(namespace: Namespace | None, only: str | None = None) -> Imported:
    """Return the links of this machine, or the one of a device and what is redirected from it.

    Raises:
        OSError: the kernel would not tell.
    """
    facts = gather(namespace).facts
    machine = Machine()
    names = {device.index: device.name for device in facts.devices}
    with RouteSocket(namespace) as route:
        for device in facts.devices:
            machine.device(device.name).is_ifb = device.kind == "ifb"
            for command in _qdiscs(device, machine):
                machine.run(command)
            if any(one.parent in HOOKS for one in device.qdiscs):
                _redirects(route, device, names, machine)
    imported = links_of(machine)
    if only is not None:
        imported.links = [link for link in imported.links if link.device == only]
        if not imported.links:
            imported.say(Kind.LOST, "device-unshaped", f"nothing shapes {only} here")
    return imported


def _qdiscs(device: DeviceFacts, machine: Machine) -> Iterator[Command]:
    for one in device.qdiscs:
        if one.handle == "0:" or one.parent in HOOKS:
            continue
        where = ["root"] if one.parent == "root" else ["parent", one.parent]
        words: list[str] = []
        try:
            kind = plugin.qdisc(one.kind)
            settings: Any = kind.read(bytes.fromhex(one.options))
        except (KeyError, plugin.PluginError, DecodeError):
            settings = None
        if settings is not None:
            words = list(kind.command(settings))
            _target(device.name, settings, machine)
        if one.sized:
            machine.device(device.name).remarks.append(
                Remark(
                    Kind.LOST, "stab",
                    f"a size table hangs on {device.name}, which the kernel does not tell whole",
                )
            )  # fmt: skip
        yield Command(
            0,
            ("tc", "qdisc", "add", "dev", device.name, *where, "handle", one.handle, one.kind,
             *words),
        )  # fmt: skip


def _target(device: str, settings: Any, machine: Machine) -> None:  # noqa: ANN401
    """CoDel's target of a CAKE is a twentieth of its interval, unless somebody set it apart."""
    interval, target = getattr(settings, "interval", None), getattr(settings, "target", None)
    if not isinstance(interval, int) or not hasattr(settings, "diffserv"):
        return
    usual = max(1, interval // TARGETS_PER_INTERVAL)
    if target != usual:
        machine.device(device).remarks.append(
            Remark(
                Kind.LOST, "target", f"CoDel's target on {device} is {target}us and not {usual}us"
            )
        )


def _redirects(
    route: RouteSocket, device: DeviceFacts, names: Mapping[int | None, str], machine: Machine
) -> None:
    clsact = any(one.parent == "clsact" for one in device.qdiscs)
    parent = CLSACT_INGRESS if clsact else INGRESS_HANDLE
    for found in filters.dump(route, device.index or 0, parent):
        try:
            options = dict(filters.decode_filter(found.kind, found.options or b""))
        except (DecodeError, EncodeError, KeyError):
            continue
        to, before = _actions(options.get("ACT"))
        if to is None:
            continue
        target = names.get(to, "")
        if not target:
            machine.device(device.name).remarks.append(
                Remark(
                    Kind.SUSPICIOUS, "redirect-dead",
                    f"what comes in on {device.name} is redirected to a device that is gone: every "
                    "packet is lost",
                )
            )  # fmt: skip
            continue
        machine.device(target).is_ifb = True
        protocol = PROTOCOLS.get(filters.protocol(found), "another one")
        everything = found.kind == "matchall" or _selects_all(found.kind, options)
        machine.device(device.name).redirects.append(
            Redirect(target, protocol, 0, everything, before)
        )


def _selects_all(kind: str, options: Mapping[Any, Any]) -> bool:
    selector = options.get("SEL")
    if kind == "bpf":
        return True
    if kind != "u32" or not isinstance(selector, bytes):
        return False
    return all(not key.mask for key in filters.parse_selector(selector)[1])


def _actions(acts: object) -> tuple[int | None, tuple[str, ...]]:
    """Return the number of the device that packets are sent to, and the actions before that."""
    before: list[str] = []
    for _, act in acts if isinstance(acts, list) else ():
        try:
            name, pairs = actions.parse_action(act)
        except (DecodeError, KeyError):
            continue
        values = dict(pairs)
        parms = values.get("PARMS")
        if name == "mirred" and isinstance(parms, Mapping):
            return int(parms["ifindex"]), tuple(before)
        before.append(str(name))
    return None, ()
