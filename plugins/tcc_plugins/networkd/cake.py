"""CAKE in networkd's words: the [CAKE] section."""

from collections.abc import Iterator

from tcc.express import Loss, Reasons, cake_losses, said_of
from tcc.lower import LoweredQdisc
from tcc.plugin import Verdict
from tcc.tcwords.cake import CakeSaid
from tcc_plugins.networkd.versions import SINCE

FLOWS = {
    "flowblind": "none", "srchost": "src-host", "dsthost": "dst-host", "hosts": "hosts",
    "flows": "flows", "dual-srchost": "dual-src-host", "dual-dsthost": "dual-dst-host",
    "triple-isolate": "triple",
}  # fmt: skip
CELLS = {"noatm": "none", "atm": "atm", "ptm": "ptm"}
ACKS = {"no-ack-filter": "no", "ack-filter": "yes", "ack-filter-aggressive": "aggressive"}
TARGET = 5_000
"""us: CoDel's target stays at the kernel's default, because networkd sends the interval alone."""
_NOT = "networkd has no setting for it"


def cake_section(one: LoweredQdisc, version: int) -> str:
    """Return the section; numbers are plain, because its suffixes have two bases."""
    said = said_of(one)
    lines = [f"{name}={value}" for setting, name, value in _settings(said) if has(setting, version)]
    return "\n".join(["[CAKE]", "Parent=root", "Handle=1", *lines]) + "\n"


def has(setting: str, version: int) -> bool:
    """Whether a version of networkd has a setting of CAKE."""
    return SINCE.get(setting, version + 1) <= version


def _settings(said: CakeSaid) -> Iterator[tuple[str, str, str]]:
    """Yield the settings: CAKE's, networkd's, and the value."""
    if said.rate:
        yield "rate", "Bandwidth", str(said.rate)
    yield "autorate", "AutoRateIngress", _yes(said.autorate)
    if said.raw:
        yield "raw", "UseRawPacketSize", "yes"
    if not said.raw or said.overhead:
        yield "overhead", "OverheadBytes", str(said.overhead)
    if said.mpu:
        yield "mpu", "MPUBytes", str(said.mpu)
    yield "cells", "CompensationMode", CELLS[said.cells]
    yield "flow", "FlowIsolationMode", FLOWS[said.flow]
    yield "nat", "NAT", _yes(said.nat)
    yield "mode", "PriorityQueueingPreset", said.mode
    if said.fwmark:
        yield "fwmark", "FirewallMark", str(said.fwmark)
    yield "wash", "Wash", _yes(said.wash)
    yield "split", "SplitGSO", _yes(said.split)
    if said.rtt != CakeSaid().rtt:
        yield "rtt", "RTTSec", f"{said.rtt}us"
    yield "ack", "AckFilter", ACKS[said.ack]


def losses_of_cake(one: LoweredQdisc, version: int) -> Iterator[Loss]:
    """Yield what this version of networkd cannot be told."""
    said, default = said_of(one), CakeSaid()
    kept = said
    because: dict[str, str] = {}
    for name in CakeSaid._fields:
        if getattr(said, name) == getattr(default, name) or has(name, version):
            continue
        kept = kept._replace(**{name: getattr(default, name)})
        since = SINCE.get(name)
        because[name] = f"it has that since systemd {since}, not in {version}" if since else _NOT
    if not has("raw", version) and said.raw and said.overhead:
        kept = kept._replace(raw=False)  # an overhead alone makes sizes start at the IP header
        because["raw"] = "it can say so since systemd 250"
    yield from cake_losses(one, kept, Reasons("networkd", because, {}))
    target = max(1, said.rtt // 20)
    if has("rtt", version) and target != TARGET and kept.rtt == said.rtt:
        yield Loss(
            one.wish, "rtt",
            f"networkd sets CoDel's interval alone: the target stays {TARGET}us and not {target}us",
            ("tc derives the target from rtt, a twentieth",),
            verdict=Verdict.APPROXIMATED,
        )  # fmt: skip


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"
