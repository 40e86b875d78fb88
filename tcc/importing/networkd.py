"""systemd-networkd's `.network` files: [CAKE], [TokenBucketFilter], and what is inside of it."""

import re
from collections.abc import Sequence
from typing import Final

from tcc.importing.found import Bucket, End, FoundLink, Imported, Kind
from tcc.importing.ini import Part, parts
from tcc.tcwords.cake import MODES, CakeSaid
from tcc.tcwords.numbers import NumberError, time_of

FLOWS: Final = {
    "none": "flowblind", "src-host": "srchost", "dst-host": "dsthost", "hosts": "hosts",
    "flows": "flows", "dual-src-host": "dual-srchost", "dual-dst-host": "dual-dsthost",
    "triple": "triple-isolate",
}  # fmt: skip
CELLS: Final = {"none": "noatm", "atm": "atm", "ptm": "ptm"}
YES: Final = ("yes", "true", "on", "1")
INNER: Final = {"FairQueueingControlledDelay": "fq_codel", "PFIFO": "pfifo", "BFIFO": "bfifo"}
INNER_WORDS: Final = {
    "PacketLimit": "limit", "Flows": "flows", "QuantumBytes": "quantum", "TargetSec": "target",
    "IntervalSec": "interval", "MemoryLimitBytes": "memory_limit", "CEThresholdSec": "ce_threshold",
    "LimitBytes": "limit",
}  # fmt: skip
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?")
_TIME = re.compile(r"([0-9.]+)\s*(us|usec|ms|msec|s|sec|seconds|min|m)?")
OTHERS: Final = (
    "HierarchyTokenBucket", "HierarchyTokenBucketClass", "FairQueueing", "ControlledDelay",
    "StochasticFairnessQueueing", "DeficitRoundRobinScheduler", "NetworkEmulator", "PIE",
    "QuickFairQueueing", "TrivialLinkEqualizer", "BandMultiQueueing",
    "EnhancedTransmissionSelection",
)  # fmt: skip


def read_networkd(text: str, device: str | None) -> Imported:
    """Return the link of one file; a drop-in without [Match] is for `device`."""
    imported = Imported()
    found = list(parts(text))
    match = next((part for part in found if part.name == "Match"), None)
    name = (match.settings.get("Name", "") if match else "") or (device or "")
    if not name:
        imported.say(Kind.LOST, "no-interface", "the file has no [Match] Name=: give its device")
        return imported
    if " " in name or any(sign in name for sign in "*?[!"):
        imported.say(
            Kind.LOST, "many-devices", f"Name={name} is for several devices: the first is kept"
        )
        name = re.sub(r"[*?\[\]!]", "", name.split()[0]) or "eth0"
    link = imported.link(name.replace("\\\\", "\\"))
    for part in found:
        if part.name == "CAKE" and _is_root(part):
            link.ends["egress"] = End("cake", _cake(part, link))
        elif part.name == "TokenBucketFilter" and _is_root(part):
            end = _bucket(part, link, found)
            if end is not None:
                link.ends["egress"] = end
        elif part.name in ("CAKE", "TokenBucketFilter"):
            inside = part.settings["Parent"]
            link.say(
                Kind.LOST, "not-root", f"[{part.name}] has the parent {inside}, not root", part.line
            )
        elif part.name in OTHERS:
            link.say(Kind.LOST, "kind-unknown", f"[{part.name}] has no counterpart", part.line)
    if not link.ends:
        imported.links.remove(link)
        imported.remarks += link.remarks
    return imported


def _is_root(part: Part) -> bool:
    return part.settings.get("Parent", "root") == "root"


def size(text: str, base: int) -> int:
    """Return a number with networkd's suffixes, to the base that its setting has."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise NumberError(f"`{text}` is no size")
    scale: int = base ** " KMGT".index(match[2] or " ")
    whole, _, decimals = match[1].partition(".")
    return int(whole) * scale + int(decimals or 0) * scale // int(10 ** len(decimals))


def span(text: str) -> int:
    """Return a time of systemd.time(7) in us; a bare number is seconds."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise NumberError(f"`{text}` is no time")
    unit = {"min": "s", "m": "s", "seconds": "s"}.get(match[2] or "s", match[2] or "s")
    return time_of(match[1] + unit) * (60 if match[2] in ("min", "m") else 1)


def _cake(part: Part, link: FoundLink) -> CakeSaid:
    said = CakeSaid()
    for name, value in part.settings.items():
        try:
            said = _setting(said, name, value)
        except (NumberError, KeyError, ValueError):
            shown = f"{name}={' '.join(value.split())}"
            link.say(Kind.LOST, "setting", f"{shown} of [CAKE] is not understood", part.line)
    raw = part.settings.get("UseRawPacketSize", "no").lower() in YES
    said = said._replace(raw=raw or "OverheadBytes" not in part.settings)
    if said.rtt != CakeSaid().rtt:
        link.say(
            Kind.LOST, "target",
            "networkd leaves CoDel's target at 5ms; with tc's rules it is a twentieth of rtt",
            part.line,
        )  # fmt: skip
    return said


def _setting(said: CakeSaid, name: str, value: str) -> CakeSaid:  # noqa: PLR0911, PLR0912
    yes = value.lower() in YES
    match name:
        case "Bandwidth":
            return said._replace(rate=size(value, 1000))
        case "AutoRateIngress":
            return said._replace(autorate=yes)
        case "OverheadBytes":
            return said._replace(overhead=int(value))
        case "UseRawPacketSize":
            return said  # decided by what else there is
        case "MPUBytes":
            return said._replace(mpu=int(value))
        case "CompensationMode":
            return said._replace(cells=CELLS[value])
        case "FlowIsolationMode":
            return said._replace(flow=FLOWS[value])
        case "NAT":
            return said._replace(nat=yes)
        case "PriorityQueueingPreset":
            return said._replace(mode=MODES[MODES.index(value)])
        case "FirewallMark":
            return said._replace(fwmark=int(value, 0))
        case "Wash":
            return said._replace(wash=yes)
        case "SplitGSO":
            return said._replace(split=yes)
        case "RTTSec":
            return said._replace(rtt=span(value))
        case "AckFilter":
            word = {"aggressive": "ack-filter-aggressive"}.get(
                value, "ack-filter" if yes else "no-ack-filter"
            )
            return said._replace(ack=word)
        case "Parent" | "Handle":
            return said
        case _:
            raise KeyError(name)


def _bucket(part: Part, link: FoundLink, found: Sequence[Part]) -> End | None:
    said = part.settings
    try:
        bucket = Bucket(
            rate=size(said["Rate"], 1000),
            burst=size(said.get("BurstBytes", said.get("Burst", "0")), 1024),
            limit=size(said["LimitBytes"], 1024) if "LimitBytes" in said else None,
            latency=span(said["LatencySec"]) if "LatencySec" in said else None,
            peak=size(said["PeakRate"], 1000) if "PeakRate" in said else 0,
            mtu=size(said["MTUBytes"], 1024) if "MTUBytes" in said else 0,
            mpu=size(said["MPUBytes"], 1024) if "MPUBytes" in said else 0,
            inner=_inner(found),
        )
    except (NumberError, KeyError) as problem:
        link.say(Kind.LOST, "tbf-unreadable", f"[TokenBucketFilter]: {problem}", part.line)
        return None
    return End("tbf", bucket=bucket)


def _inner(found: Sequence[Part]) -> tuple[str, tuple[str, ...]] | None:
    for part in found:
        if part.name in INNER and not _is_root(part):
            words: list[str] = []
            for name, value in part.settings.items():
                if name in INNER_WORDS:
                    is_time = name.endswith("Sec")
                    plain = f"{span(value)}us" if is_time else str(size(value, 1024))
                    words += [INNER_WORDS[name], plain]
                elif name == "ECN":
                    words.append("ecn" if value.lower() in YES else "noecn")
            return INNER[part.name], tuple(words)
    return None
