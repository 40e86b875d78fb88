"""The policy that says what was found, as text: clauses where they are exact, else tc's words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tcc.importing.found import Bucket, End, FoundLink, Imported, Remark
from tcc.importing.inner import inner_text
from tcc.ir import PRESETS
from tcc.ir.framing import VLAN_TAG
from tcc.tcwords.cake import RTTS, CakeSaid
from tcc.units import NS_PER_US, format_duration, format_rate, format_size
from tcc.visible import visible

HARD_HEADER: Final = 14
"""Bytes of the link-layer header that tbf counts by itself on Ethernet."""
BYTE: Final = 8
PER_HOST: Final = {"egress": "dual-srchost", "ingress": "dual-dsthost"}
PLAIN_FLOWS: Final = {
    "flows": "per-flow", "srchost": "per-source", "dsthost": "per-destination", "flowblind": "none",
}  # fmt: skip
ACKS: Final = {"ack-filter": "on", "ack-filter-aggressive": "aggressive"}
CELLS: Final = {"noatm": "none", "atm": "atm", "ptm": "ptm"}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def policy_text(imported: Imported, source: str) -> str:
    """Return the policy, not laid out yet, with the remarks as comments.

    Args:
        imported: what was found.
        source: what it was found in, for the first line.
    """
    lines = [f"# Imported from {source}."]
    lines += _comments(imported.remarks)
    names = _names(imported.links)
    for link, name in zip(imported.links, names, strict=True):
        lines += ["", *_link(link, name)]
    return "\n".join(lines) + "\n"


def _comments(remarks: Sequence[Remark]) -> Iterator[str]:
    for remark in dict.fromkeys(remarks):
        text = visible(" ".join(remark.text.split()))
        yield f"# {remark.kind}: {text}"


def _names(links: Sequence[FoundLink]) -> list[str]:
    """Return a name for each link: its own, `wan` for a single one, else made of the device's."""
    made: list[str] = []
    for link in links:
        name = link.name if _NAME.fullmatch(link.name) else ""
        if not name:
            plain = re.sub(r"[^A-Za-z0-9_-]", "-", link.device).strip("-")
            name = "wan" if len(links) == 1 else f"on-{plain}"
        name = name if name not in _TAKEN else f"{name}-link"
        number, base = 1, name
        while name in made:
            number += 1
            name = f"{base}-{number}"
        made.append(name)
    return made


_TAKEN: Final = frozenset({"egress", "ingress", "ping", "flow", "host"})


def _link(link: FoundLink, name: str) -> Iterator[str]:
    yield f"link {name} {{"
    yield from _comments(link.remarks)
    yield f"device {_quoted(link.device)}"
    cakes = {side: end.cake for side, end in link.ends.items() if end.bucket is None}
    framing = _shared_framing(link)
    if framing is not None:
        yield framing
    router = _is_router(link, cakes)
    if router:
        yield "role router"
    for side in ("egress", "ingress"):
        end = link.ends.get(side)
        if end is not None:
            yield f"{side} {{"
            yield from _end(end, side, router, in_block=framing is None)
            yield "}"
    yield "}"


def _quoted(text: str) -> str:
    return '"' + visible(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _is_router(link: FoundLink, cakes: Mapping[str, CakeSaid]) -> bool:
    """Whether `role router` says it all: NAT in each direction that is a CAKE."""
    return bool(cakes) and all(said.nat for said in cakes.values())


def _shared_framing(link: FoundLink) -> str | None:
    """Return the clause for a framing that all directions have; None if a block must say it."""
    said = {_framing(end) for end in link.ends.values()}
    return said.pop() if len(said) == 1 else None


def _framing(end: End) -> str | None:
    if end.bucket is not None:
        bucket = end.bucket
        if not bucket.overhead and not bucket.mpu and not bucket.atm:
            return "framing raw"
        cells = "atm" if bucket.atm else "none"
        return _numbers(bucket.overhead + HARD_HEADER, bucket.mpu, cells)
    said = end.cake
    if said.raw:
        return None if said.overhead or said.mpu or said.cells != "noatm" else "framing raw"
    cells = CELLS[said.cells]
    for name, preset in PRESETS.items():
        if preset.raw or name == "unknown" or (preset.mpu, preset.cells) != (said.mpu, cells):
            continue
        tags, rest = divmod(said.overhead - preset.overhead, VLAN_TAG)
        if rest == 0 and 0 <= tags <= (0 if cells == "atm" else 2):
            return f"framing {name}" + " + vlan" * tags
    return _numbers(said.overhead, said.mpu, cells)


def _numbers(overhead: int, mpu: int, cells: str) -> str:
    return f"framing {{\noverhead {overhead}B\nmpu {mpu}B\ncells {cells}\n}}"


def _end(end: End, side: str, router: bool, *, in_block: bool) -> Iterator[str]:
    if end.bucket is not None:
        yield from _bucket(end.bucket)
        return
    said = end.cake
    yield _bandwidth(said.rate, end.bounds)
    if said.mode != CakeSaid().mode:
        yield f"tiers {said.mode}"
    if said.flow != CakeSaid().flow:
        yield f"fairness {_fairness(said.flow, side)}"
    if said.rtt != CakeSaid().rtt:
        preset = next((name for name, us in RTTS.items() if us == said.rtt), None)
        yield f"rtt {preset or format_duration(said.rtt * NS_PER_US)}"
    if said.ack in ACKS:
        yield f"ack-filter {ACKS[said.ack]}"
    if said.wash:
        yield "dscp wash"
    if said.memlimit:
        yield f"memory {format_size(said.memlimit)}"
    if said.fwmark:
        yield f"mark mask {said.fwmark:#x}"
    if not said.split:
        yield "gso keep"
    words = list(_block(said, side, router, in_block=in_block))
    if words:
        yield f"qdisc {end.kind} {{"
        yield from words
        yield "}"
    else:
        yield f"qdisc {end.kind}"


def _bandwidth(rate: int, bounds: tuple[int, int] | None) -> str:
    if not rate:
        return "bandwidth unlimited"
    if bounds is None:
        return f"bandwidth {format_rate(rate)}"
    low, high = (format_rate(bound) for bound in bounds)
    return f"bandwidth {format_rate(rate)} within {low}..{high}"


def _fairness(flow: str, side: str) -> str:
    return "per-host" if flow == PER_HOST[side] else PLAIN_FLOWS.get(flow, flow)


def _block(said: CakeSaid, side: str, router: bool, *, in_block: bool) -> Iterator[str]:
    """Yield what no clause says, in tc's words."""
    if said.nat != router:
        yield "nat" if said.nat else "nonat"
    if said.ingress != (side == "ingress"):
        yield "ingress" if said.ingress else "egress"
    if said.autorate:
        yield "autorate-ingress"
    if in_block:
        if said.raw:
            yield "raw"
        yield said.cells
        yield f"overhead {said.overhead}B"
        if said.mpu:
            yield f"mpu {said.mpu}B"


def _bucket(bucket: Bucket) -> Iterator[str]:
    yield _bandwidth(bucket.rate, None)
    yield "qdisc tbf {"
    yield f"burst {bucket.burst}B"
    if bucket.latency is not None:
        yield f"latency {format_duration(bucket.latency * NS_PER_US)}"
    elif bucket.limit is not None:
        yield f"limit {bucket.limit}B"
    if bucket.peak:
        yield f"peak {format_rate(bucket.peak)}"
        if bucket.mtu:
            yield f"mtu {bucket.mtu}B"
    if bucket.inner is not None:
        yield inner_text(*bucket.inner)
    yield "}"
