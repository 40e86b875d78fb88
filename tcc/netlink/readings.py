"""Everything that the kernel tells of every qdisc, decoded in one go: for status and metrics."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tcc.netlink import qdisc
from tcc.netlink.handle import Handle
from tcc.netlink.kinds import KINDS
from tcc.netlink.objects import Counters, TcObject
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import Value


class Reading(NamedTuple):
    """One qdisc: where it is, what it is set to, what it counted.

    `options` and `stats` are what `kinds.decode_options` and
    `kinds.decode_stats` return; for a kind that is not known here the bytes as
    they came, and None where the kernel sends nothing.
    """

    ifindex: int
    kind: str
    handle: Handle
    parent: Handle
    counters: Counters
    options: Value | None
    stats: Value | None


def read(route: RouteSocket, ifindex: int | None = None) -> list[Reading]:
    """Return the qdiscs of all devices, or of one, in the kernel's order.

    Raises:
        KernelRefusal: the kernel would not list.
        DecodeError: malformed data.
    """
    with _collector_at_rest():
        return [_reading(found) for found in qdisc.dump(route, ifindex)]


def _reading(found: TcObject) -> Reading:
    known = KINDS.get(found.kind)
    options: Value | None = found.options
    stats: Value | None = found.xstats
    if known is not None:
        if isinstance(options, bytes):
            options = known.options.decode(known.name, options, 0, len(options))
        if isinstance(stats, bytes) and known.stats is not None:
            stats = known.stats.decode(known.name, stats, 0, len(stats))
    return Reading(
        found.ifindex,
        found.kind,
        found.handle,
        found.parent,
        found.counters,
        options,
        stats,
    )


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Keep the cycle collector from walking through thousands of new objects without cycles."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
