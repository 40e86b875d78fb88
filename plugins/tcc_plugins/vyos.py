"""The `vyos` back end: commands for VyOS 1.4 and 1.5.

Its CAKE has a rate, a round trip, flow isolation and NAT, and nothing else before 1.5; tins and
framing are the kernel's defaults. What comes in is redirected to an ifb, whose CAKE does not
charge drops. A number without a suffix is kilobits there, so each has one.

Source: python/vyos/qos/cake.py and ratecontrol.py of vyos-1x (1.4), and the changes T6790 and
T7589 (1.5).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from tcc.diagnostics import error
from tcc.express import (
    FileBackend,
    Loss,
    Reasons,
    Request,
    Written,
    cake_losses,
    header,
    is_cake,
    said_of,
    tier_losses,
    unnameable,
)
from tcc.lower import LoweredQdisc
from tcc.plan.state import FileItem
from tcc.plugin import Verdict
from tcc.tcwords.cake import CakeSaid

FILE = "tcc.vyos"
VERSIONS = ("1.4", "1.5")
NEWEST = VERSIONS[-1]
FLOWS = {
    "flowblind": "blind", "srchost": "src-host", "dsthost": "dst-host", "hosts": "host",
    "flows": "flow", "dual-srchost": "dual-src-host", "dual-dsthost": "dual-dst-host",
    "triple-isolate": "triple-isolate",
}  # fmt: skip
SINCE_1_5 = ("ack", "split")
NEVER = ("mode", "raw", "cells", "overhead", "mpu", "wash", "memlimit", "fwmark", "autorate",
         "ingress")  # fmt: skip
US_PER_MS, US_PER_S = 1000, 1_000_000
KINDS = {"eth": "ethernet", "bond": "bonding", "br": "bridge", "pppoe": "pppoe", "wg": "wireguard"}


def _write(request: Request) -> Written:
    version = request.option("version", NEWEST)
    if version not in VERSIONS:
        said = f"VyOS {version} is not known; there are {', '.join(VERSIONS)}"
        return Written(found=[error("system-unknown", None, said)])
    lines: list[str] = []
    losses: list[Loss] = []
    for number, (device, ends) in enumerate(request.by_device().items()):
        if lost := list(unnameable(ends, "VyOS", device)):
            losses += lost
            continue
        losses += tier_losses(ends, "VyOS", "set its DSCP in `set policy route`")
        for direction, one in ends.items():
            losses += _losses(one, version)
            name = f"TCC-{number}-{direction.upper()}"
            lines += _policy(one, name, version)
            lines += _placed(device, direction, name, f"ifb{number}")
    text = (
        header(request) + "# In configuration mode: load these, look at `compare`, then commit.\n"
    )
    text += "".join(f"{line}\n" for line in lines) + "commit-confirm 5\n"
    return Written({FILE: FileItem(text)}, losses)


def _placed(device: str, direction: str, name: str, ifb: str) -> Iterator[str]:
    if direction == "egress":
        yield f"set qos interface {device} egress '{name}'"
        return
    yield f"set interfaces input {ifb} description 'what comes in on {device}'"
    kind = KINDS.get(device.rstrip("0123456789."), "ethernet")
    vif = f" vif {device.partition('.')[2]}" if "." in device else ""
    yield f"set interfaces {kind} {device.partition('.')[0]}{vif} redirect '{ifb}'"
    yield f"set qos interface {ifb} egress '{name}'"


def _rate(rate: int) -> str:
    """Return a rate in whole units: VyOS has no decimals.

    >>> _rate(38_000_000), _rate(999)
    ('38mbit', '999bit')
    """
    for unit, scale in (("gbit", 10**9), ("mbit", 10**6), ("kbit", 10**3)):
        if rate and rate % scale == 0:
            return f"{rate // scale}{unit}"
    return f"{rate}bit"


def _policy(one: LoweredQdisc, name: str, version: str) -> Iterator[str]:
    if one.kind == "tbf":
        yield from _bucket(one, name)
        return
    if not is_cake(one):
        return
    said = said_of(one)
    start = f"set qos policy cake {name}"
    if said.rate:
        yield f"{start} bandwidth '{_rate(said.rate)}'"
    flow = FLOWS[said.flow]
    yield (
        f"{start} flow-isolation {flow}"
        if version == "1.4"
        else (f"{start} flow-isolation '{flow}'")
    )
    if said.nat and version != "1.4":
        yield f"{start} flow-isolation-nat"
    yield f"{start} rtt '{max(1, said.rtt // US_PER_MS)}'"
    if version != "1.4":
        if said.ack != "no-ack-filter":
            yield f"{start} ack-filter" + (" aggressive" if "aggressive" in said.ack else "")
        if not said.split:
            yield f"{start} no-split-gso"


def _bucket(one: LoweredQdisc, name: str) -> Iterator[str]:
    bucket: Any = one.settings
    start = f"set qos policy rate-control {name}"
    yield f"{start} bandwidth '{_rate(8 * bucket.rate)}'"
    yield f"{start} burst '{bucket.burst}'"
    yield f"{start} latency '{_latency(bucket)}'"


def _latency(bucket: Any) -> int:  # noqa: ANN401
    return int(max(1, (bucket.limit - bucket.burst) * 1000 // bucket.rate))


def _losses(one: LoweredQdisc, version: str) -> Iterator[Loss]:
    if one.kind == "tbf":
        yield from _bucket_losses(one)
        return
    if one.kind != "cake":
        yield Loss(one.wish, "qdisc", f"VyOS has no {one.kind}", ("write `qdisc cake`",))
        return
    said, default = said_of(one), CakeSaid()
    because = dict.fromkeys(NEVER, "its CAKE has no such option")
    kept = said._replace(**{name: getattr(default, name) for name in NEVER})
    kept = kept._replace(rtt=max(1, said.rtt // US_PER_MS) * US_PER_MS)
    if version == "1.4":
        kept = kept._replace(**{name: getattr(default, name) for name in SINCE_1_5})
        because |= dict.fromkeys(SINCE_1_5, "it has that since VyOS 1.5")
        if said.nat:
            kept = kept._replace(nat=False)
            because["nat"] = "flow isolation takes one word there, and the hosts' mode is it"
    yield from cake_losses(one, kept, Reasons("VyOS", because, {}))


def _bucket_losses(one: LoweredQdisc) -> Iterator[Loss]:
    bucket: Any = one.settings
    if bucket.peak or bucket.overhead or bucket.mpu or bucket.linklayer != 1:
        yield Loss(one.wish, "framing", "VyOS's rate-control has neither framing nor a peak")
    limit = bucket.rate * _latency(bucket) // 1000 + bucket.burst
    if limit != bucket.limit:
        yield Loss(
            one.wish, "latency",
            f"VyOS counts whole ms: a limit of {limit}B in place of {bucket.limit}B",
            verdict=Verdict.APPROXIMATED, span=one.wish.at("qdisc"), within="qdisc",
        )  # fmt: skip
    for child in one.children:
        if child.kind != "bfifo":
            yield Loss(
                one.wish, "inner", f"VyOS puts nothing inside of rate-control, not {child.kind}",
                ("write `inner bfifo`",), span=one.wish.at_option("inner"), within="qdisc",
            )  # fmt: skip
    if one.wish.shaping.backpressure is not None:
        yield Loss(one.wish, "backpressure", "VyOS has no way to make senders wait")


VyOS = partial(FileBackend, "vyos", _write)
"""What VyOS should be told."""
