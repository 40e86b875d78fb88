"""`tc -j qdisc show`: rates in bytes per second and times in us, without a unit.

Filters are not in it, so who redirects to an ifb is told by the ifb's name.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tcc.importing.found import Imported, Kind, Remark
from tcc.importing.links import links_of
from tcc.importing.machine import Machine, Redirect, is_own
from tcc.importing.shell import Command
from tcc.lower.ifb import ifb_name
from tcc.tcwords.sqm import ifb_of

BITS: Final = 8
ACKS: Final = {"disabled": "no-ack-filter", "enabled": "ack-filter",
               "aggressive": "ack-filter-aggressive"}  # fmt: skip
NO_DEVICE: Final = "eth0"
HOOKS: Final = ("ingress", "clsact")


class JsonError(ValueError):
    """Text that is not the output of tc; the message says why."""


def read_json(text: str) -> Imported:
    """Return what `tc -j qdisc show` says.

    Raises:
        JsonError: it is no JSON, or no list of qdiscs.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise JsonError(f"not JSON: {problem}") from problem
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise JsonError("not what `tc -j qdisc show` prints: a list of qdiscs")
    machine = Machine()
    hooks: list[str] = []
    for one in found:
        device = str(one.get("dev", NO_DEVICE))
        if one.get("kind") in HOOKS:
            hooks.append(device)
        for command in _command(one, device):
            machine.run(command)
    _redirect_by_name(machine, hooks)
    imported = links_of(machine)
    if any("dev" not in one for one in found):
        imported.say(Kind.LOST, "device-unnamed", f"the device is not named: {NO_DEVICE} stands in")
    return imported


def _redirect_by_name(machine: Machine, hooks: list[str]) -> None:
    for device in hooks:
        for ifb in (ifb_of(device), ifb_name(device), f"ifb-{device}"):
            if ifb in machine.devices:
                machine.device(device).redirects.append(Redirect(ifb, "all", 0, True))
                machine.device(ifb).is_ifb = True
                machine.remarks.append(
                    Remark(
                        Kind.SUSPICIOUS, "redirect-guessed",
                        f"filters are not in this output: {ifb} is taken for {device}'s",
                    )
                )  # fmt: skip
                break


def _command(one: Mapping[str, Any], device: str) -> Iterator[Command]:
    """Yield the command that would make a qdisc as it is."""
    kind, handle = str(one.get("kind", "")), str(one.get("handle", ""))
    options = one.get("options")
    if not isinstance(options, Mapping) or handle in ("", "0:") or kind in HOOKS:
        return
    if is_own(kind) and kind != "fq_codel" and one.get("root"):
        return
    where = ["root"] if one.get("root") else ["parent", str(one.get("parent", ""))]
    reader = _READERS.get(kind)
    words = list(reader(options)) if reader else []
    text = ("tc", "qdisc", "add", "dev", device, *where, "handle", handle, kind, *words)
    yield Command(0, text)


def _cake(options: Mapping[str, Any]) -> Iterator[str]:
    bandwidth = options.get("bandwidth", "unlimited")
    if isinstance(bandwidth, int):
        yield from ("bandwidth", f"{BITS * bandwidth}bit")
    else:
        yield "unlimited"
    if options.get("autorate"):
        yield "autorate-ingress"
    for name in ("diffserv", "flowmode"):
        if name in options:
            yield str(options[name])
    for name, no in (("nat", "nonat"), ("wash", "nowash"), ("ingress", "egress"),
                     ("split_gso", "no-split-gso")):  # fmt: skip
        if name in options:
            yield name.replace("_", "-") if options[name] else no
    yield ACKS.get(str(options.get("ack-filter", "disabled")), "no-ack-filter")
    if "rtt" in options:
        yield from ("rtt", f"{options['rtt']}us")
    if options.get("raw"):
        yield "raw"
    yield str(options.get("atm", "noatm"))
    yield from ("overhead", str(options.get("overhead", 0)))
    for name in ("mpu", "memlimit", "fwmark"):
        if options.get(name) not in (None, 0, "0"):
            yield from (name, str(options[name]))


def _tbf(options: Mapping[str, Any]) -> Iterator[str]:
    yield from ("rate", f"{BITS * int(options.get('rate', 0))}bit")
    yield from ("burst", str(options.get("burst", "0")).lower())
    if "lat" in options:
        yield from ("latency", f"{options['lat']}us")
    elif "limit" in options:
        yield from ("limit", str(options["limit"]))
    for name in ("mpu", "overhead"):
        if options.get(name):
            yield from (name, str(options[name]))
    if options.get("linklayer"):
        yield from ("linklayer", str(options["linklayer"]))


def _fq_codel(options: Mapping[str, Any]) -> Iterator[str]:
    for name in ("limit", "flows", "quantum", "memory_limit", "drop_batch"):
        if name in options:
            yield from (name, str(options[name]))
    for name in ("target", "interval", "ce_threshold"):
        if name in options:
            yield from (name, f"{options[name]}us")
    yield "ecn" if options.get("ecn") else "noecn"


def _plain(options: Mapping[str, Any]) -> Iterator[str]:
    for name in ("limit", "perturb", "quantum", "divisor", "flows", "depth"):
        if name in options:
            yield from (name, str(options[name]))


_READERS: Final = {
    "cake": _cake, "cake_mq": _cake, "tbf": _tbf, "fq_codel": _fq_codel, "sfq": _plain,
    "pfifo": _plain, "bfifo": _plain,
}  # fmt: skip
