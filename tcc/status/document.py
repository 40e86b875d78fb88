"""From what the kernel has counted to the document: trees, directions, rates, sums."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from tcc.netlink.handle import INGRESS, ROOT
from tcc.netlink.samples import Cake, FqCodel, Sample
from tcc.netlink.samples import Tin as TinSample
from tcc.plan.state import handle_text
from tcc.status.model import Memory, Qdisc, Redirect, Shaper, Tin
from tcc.status.reader import Device, Look, printable
from tcc.status.redirects import Found
from tcc.units import NS_PER_S

SHAPERS: Final = frozenset({"cake", "cake_mq", "tbf"})
"""Kinds that have a rate of their own."""
BITS: Final = 8
TIN_NAMES: Final[Mapping[int, tuple[str, ...]]] = {
    1: ("besteffort",),
    3: ("bulk", "besteffort", "voice"),
    4: ("bulk", "besteffort", "video", "voice"),
}
"""By number of tins, as tc heads its columns; others go by number."""
Direction = Literal["egress", "ingress"]


@dataclass(frozen=True, slots=True)
class Ours:
    """What an apply made: the link that a device is shaped for, and the ifbs by device."""

    links: Mapping[str, str] = field(default_factory=dict)
    """By the name of the device on which the qdisc is."""
    ifbs: Mapping[str, str] = field(default_factory=dict)
    """By the name of the ifb: the device whose incoming packets it gets."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One look at the kernel, and where what comes in is redirected."""

    look: Look
    redirects: Mapping[int, Found]


def shapers(
    now: Moment, before: Moment | None, ours: Ours, wanted: Callable[[Shaper], bool]
) -> tuple[Shaper, ...]:
    """Return the trees of all devices for which `wanted` holds, with rates since `before`."""
    pace = Pace(now, before)
    trees: dict[int, list[Sample]] = {}
    for one in now.look.samples:
        if one.parent != INGRESS:
            trees.setdefault(one.ifindex, []).append(one)
    sources = {one.to: number for number, one in now.redirects.items()}
    made = []
    for number, tree in trees.items():
        root = next((one for one in tree if one.parent == ROOT), None)
        device = now.look.devices.get(number)
        if root is None or device is None:
            continue
        source = now.look.devices.get(sources.get(number, 0))
        shaper = _shaper(device, root, tree, pace, _end(device, source, ours))
        if wanted(shaper):
            made.append(replace(shaper, redirect=_redirect(shaper, number, root, pace)))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class _End:
    link: str | None
    direction: Direction
    device: str


def _end(device: Device, source: Device | None, ours: Ours) -> _End:
    """Return whose packets a device's qdisc gets: its own, or those of another one."""
    link = ours.links.get(device.name)
    fed = ours.ifbs.get(device.name) or (source.name if source else None)
    if fed is None and device.kind != "ifb":
        return _End(link, "egress", device.name)
    return _End(link, "ingress", fed or device.name)


class Pace:
    """How fast counters grew between two looks."""

    def __init__(self, now: Moment, before: Moment | None) -> None:
        self.now, self.before = now, before
        self.interval = now.look.clock - before.look.clock if before else 0
        self._then = (
            {(one.ifindex, one.parent, one.handle, one.kind): one for one in before.look.samples}
            if before
            else {}
        )

    def then(self, one: Sample) -> Sample | None:
        """Return the earlier sample of the same qdisc; None when it is another one by now."""
        if not self._then or self.interval <= 0:
            return None
        old = self._then.get((one.ifindex, one.parent, one.handle, one.kind))
        return None if old is None or old.bytes > one.bytes else old

    def per_second(self, now: int, then: int | None) -> int | None:
        """Return the growth in a second, rounded down; None where it did not grow from `then`."""
        if then is None or now < then:
            return None
        return (now - then) * NS_PER_S // self.interval


def _shaper(device: Device, root: Sample, tree: Sequence[Sample], pace: Pace, end: _End) -> Shaper:
    rest = sorted((one for one in tree if one is not root), key=lambda one: one.parent)
    parts = tuple(_qdisc(one, pace) for one in rest)
    top = _qdisc(root, pace)
    if root.kind == "cake_mq":
        top = _summed(top, parts)
    return Shaper(end.link, end.direction, end.device, device.name, top, parts, None)


def _qdisc(one: Sample, pace: Pace) -> Qdisc:
    then = pace.then(one)
    rate = pace.per_second(one.bytes, then.bytes if then else None)
    own = one.own
    cake = own if isinstance(own, Cake) else None
    old = then.own if then else None
    capacity = BITS * cake.capacity_estimate if cake else None
    return Qdisc(
        at="root" if one.parent == ROOT else handle_text(one.parent),
        kind=printable(one.kind),
        handle=handle_text(one.handle),
        bandwidth_bit_s=BITS * one.rate or None,
        rate_bit_s=None if rate is None else BITS * rate,
        packets_s=pace.per_second(one.packets, then.packets if then else None),
        drops_s=pace.per_second(one.drops, then.drops if then else None),
        sent_bytes=one.bytes,
        sent_packets=one.packets,
        dropped_packets=one.drops,
        overlimits=one.overlimits,
        requeues=one.requeues,
        backlog_bytes=one.backlog,
        backlog_packets=one.qlen,
        marked_packets=_marks(own),
        memory=_memory(own),
        capacity_bit_s=capacity or None,
        active_queues=cake.active_queues or None if cake else None,
        tins=_tins(cake, old if isinstance(old, Cake) else None, pace) if cake else (),
    )


def _marks(own: Cake | FqCodel | None) -> int | None:
    if isinstance(own, Cake):
        return sum(tin.ecn_mark for tin in own.tins)
    return own.ecn_mark if own else None


def _memory(own: Cake | FqCodel | None) -> Memory | None:
    if isinstance(own, Cake):
        return Memory(own.memory_used, own.memory_limit, peak=True)
    return Memory(own.memory_used, None, peak=False) if own else None


def tin_names(count: int) -> tuple[str, ...]:
    """Return the names of tins, in tc's order."""
    return TIN_NAMES.get(count) or tuple(f"tin{number}" for number in range(count))


def _tins(cake: Cake, before: Cake | None, pace: Pace) -> tuple[Tin, ...]:
    names = tin_names(len(cake.tins))
    same = before is not None and len(before.tins) == len(cake.tins)
    return tuple(
        _tin(index, names[index], one, before.tins[index] if before and same else None, pace)
        for index, one in enumerate(cake.tins)
    )


def _tin(index: int, name: str, one: TinSample, then: TinSample | None, pace: Pace) -> Tin:
    rate = pace.per_second(one.sent_bytes, then.sent_bytes if then else None)
    return Tin(
        index=index,
        name=name,
        rate_bit_s=None if rate is None else BITS * rate,
        drops_s=pace.per_second(one.drops, then.drops if then else None),
        marks_s=pace.per_second(one.ecn_mark, then.ecn_mark if then else None),
        arrived_bytes=one.sent_bytes,
        arrived_packets=one.sent_packets,
        dropped_packets=one.drops,
        marked_packets=one.ecn_mark,
        acks_dropped=one.ack_drops,
        backlog_bytes=one.backlog_bytes,
        peak_delay_us=one.peak_delay_us,
        average_delay_us=one.avg_delay_us,
        base_delay_us=one.base_delay_us,
        sparse_flows=one.sparse_flows,
        bulk_flows=one.bulk_flows,
        unresponsive_flows=one.unresponsive_flows,
        threshold_bit_s=BITS * one.threshold_rate,
        target_us=one.target_us,
        interval_us=one.interval_us,
        quantum_bytes=one.flow_quantum,
        longest_packet_bytes=one.max_pkt_len,
        way_indirect_hits=one.way_indirect_hits,
        way_misses=one.way_misses,
        way_collisions=one.way_collisions,
    )


_WORST: Final = (
    "peak_delay_us", "average_delay_us", "threshold_bit_s", "target_us", "interval_us",
    "quantum_bytes", "longest_packet_bytes",
)  # fmt: skip
_LEAST: Final = ("base_delay_us",)
_SAME: Final = ("index", "name", *_WORST, *_LEAST)
_ADDED: Final = tuple(name for name in Tin.__dataclass_fields__ if name not in _SAME)


def _summed(root: Qdisc, queues: Sequence[Qdisc]) -> Qdisc:
    """Return a cake_mq with the tins of its queues together; its own counters are sums already.

    Numbers that are no sum (delays, thresholds) are the largest of any queue.
    """
    tins = [_sum_of_tins(column) for column in zip(*(one.tins for one in queues), strict=False)]
    memories = [one.memory for one in queues if one.memory]
    memory = None
    if memories:
        limit = sum(one.limit_bytes or 0 for one in memories)
        memory = Memory(sum(one.used_bytes for one in memories), limit, peak=True)
    return replace(
        root,
        memory=memory,
        tins=tuple(tins),
        marked_packets=sum(tin.marked_packets for tin in tins) if tins else None,
    )


def _sum_of_tins(column: Sequence[Tin]) -> Tin:
    values: dict[str, int | None] = {name: _sum(column, name) for name in _ADDED}
    for name in _WORST:
        values[name] = max(getattr(tin, name) for tin in column)
    for name in _LEAST:
        values[name] = min((found for tin in column if (found := getattr(tin, name))), default=0)
    return replace(column[0], **values)  # type: ignore[arg-type]  # its own fields


def _sum(column: Iterable[Tin], name: str) -> int | None:
    values = [getattr(tin, name) for tin in column]
    return None if None in values else sum(values)


def _redirect(shaper: Shaper, number: int, root: Sample, pace: Pace) -> Redirect | None:
    """Return how packets come to an ifb; None for what leaves, and where nobody is known to."""
    if shaper.direction == "egress" or shaper.device == shaper.on:
        return None
    source = next(
        (index for index, one in pace.now.look.devices.items() if one.name == shaper.device), 0
    )
    found = pace.now.redirects.get(source)
    if found is None:
        return Redirect("missing", "", None)
    if found.to not in pace.now.look.devices:
        return Redirect("dead", "", found.packets)
    to = pace.now.look.devices[found.to].name
    if found.to != number:
        return Redirect("elsewhere", to, found.packets)
    lossy = _grew(found, source, pace) and not _arrived(root, pace)
    return Redirect("lossy" if lossy else "ok", to, found.packets)


def _grew(found: Found, source: int, pace: Pace) -> bool:
    old = pace.before.redirects.get(source) if pace.before else None
    return bool(old and old.to == found.to and (found.packets or 0) > (old.packets or 0))


def _arrived(root: Sample, pace: Pace) -> bool:
    """Whether any packet came to a qdisc in the interval; so if it cannot be told."""
    then = pace.then(root)
    if then is None:
        return True
    return (root.packets + root.drops + root.qlen) > (then.packets + then.drops + then.qlen) or (
        root.qlen > 0
    )
