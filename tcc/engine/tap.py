"""A tap: a qdisc that passes everything on to another one and tells what crossed and what did not.

It stands where the other would stand, so nothing is asked of a network that has none.  A watcher
hears of each packet when the qdisc gives it to the device, as a capture on the interface would,
and of each packet that the qdisc drops, when it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if not cython.compiled:
    from tcc.engine.cake.rows import NEW, OLD, Flow
    from tcc.engine.constants import GSO_SPLIT, NEVER, NIL

from tcc.engine.cake.qdisc import Cake
from tcc.engine.events import Schedule
from tcc.engine.queue_disc import QueueDisc

if TYPE_CHECKING:
    from collections.abc import Mapping

    Queue = tuple[int, int, int, int]
    """The tin's internal index, the flow's slot, the slots of its source and destination host."""


class Watcher(Protocol):
    """Who hears of packets; what it raises ends the simulation."""

    def crossed(self, packet: Mapping[str, int], now: int, queue: Queue | None, /) -> None:
        """A packet leaves the qdisc at `now` (ns).

        Args:
            packet: every field of its row; `enqueue_time` is when it was queued.
            now: ns.
            queue: where it waited; None where the qdisc is no CAKE.
        """

    def dropped(self, packet: Mapping[str, int], now: int, /) -> None:
        """A packet is dropped at `now` (ns), for its `reason`; `enqueue_time` as above.

        One that was dropped as it came has come at `now`.
        """


class Tap(QueueDisc):
    """A qdisc that shows a watcher what goes through another one.

    Args:
        inner: the other qdisc.
        schedule: the simulation's events, which stop when the watcher raises something.
        watcher: who hears of packets.
    """

    def __init__(self, inner: QueueDisc, schedule: Schedule, watcher: Watcher) -> None:
        QueueDisc.__init__(self, inner.pool)
        self.inner = inner
        self.schedule = schedule
        self.watcher = watcher
        self.is_cake = isinstance(inner, Cake)
        self.children = (inner,)
        self.ack_filter = getattr(inner, "ack_filter", 0)

    def follow(self, now: cython.longlong) -> cython.void:
        """Pass on the inner qdisc's timer and length, and tell of what it has just dropped."""
        self.qlen = self.inner.qlen
        self.backlog = self.inner.backlog
        self.marks = self.inner.marks
        if self.inner.wakeup != NEVER:
            self.wakeup = self.inner.wakeup
            self.inner.wakeup = NEVER
        packet: cython.int = self.pool.drop_head
        while packet != NIL:
            if self.pool.rows[packet].reason != GSO_SPLIT:
                self.tell_dropped(packet, now)
            packet = self.pool.rows[packet].next

    def tell_dropped(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Tell of a dropped packet."""
        with cython.gil:
            try:
                self.watcher.dropped(self.pool.read(packet), now)
            except BaseException as error:
                self.schedule.fail(error)

    def tell_crossed(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Tell of a packet that leaves."""
        with cython.gil:
            try:
                queue = self.served() if self.is_cake else None
                self.watcher.crossed(self.pool.read(packet), now, queue)
            except BaseException as error:
                self.schedule.fail(error)

    def served(self) -> Queue:
        """Return the queue that CAKE has just served.

        It is still the first of its list: a flow moves on when it is next looked at.  One that
        decays has no packets.
        """
        tin: cython.int
        slot: cython.int
        flows: cython.pointer[Flow]
        if cython.compiled:
            tin = cython.cast(Cake, self.inner).current
            flows = cython.cast(Cake, self.inner).flows[tin]
        else:
            tin = self.inner.current  # type: ignore[attr-defined]
            flows = self.inner.flows[tin]  # type: ignore[attr-defined]
        slot = flows[NEW].next
        if slot == NEW:
            slot = flows[OLD].next
        return tin, slot, flows[slot].source, flows[slot].destination

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Pass a packet on."""
        verdict: cython.int
        self.pool.rows[packet].enqueue_time = now  # for one that is not queued at all
        verdict = self.inner.do_enqueue(packet, now)
        self.follow(now)
        return verdict

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give what the inner qdisc gives."""
        packet: cython.int = self.inner.do_dequeue(now)
        self.follow(now)
        if packet != NIL:
            self.tell_crossed(packet, now)
        return packet

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Show what the inner qdisc shows."""
        packet: cython.int = self.inner.do_peek(now)
        self.follow(now)
        return packet

    def do_reset(self) -> cython.void:
        """Reset the inner qdisc."""
        self.inner.do_reset()
        self.follow(self.schedule.now)

    def statistics(self) -> dict[str, int]:
        """Return what `tc -s qdisc` shows of the inner qdisc."""
        return self.inner.statistics()

    def marked(self) -> int:
        """Return how many packets the inner qdisc marked CE."""
        return self.inner.marked()

    def drops_by_reason(self) -> dict[str, int]:
        """Return how many packets the inner qdisc dropped for each reason that occurred."""
        return self.inner.drops_by_reason()
