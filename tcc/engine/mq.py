"""`mq`: one qdisc for each transmit queue of a device.

Source: net/sched/sch_mq.c.  The kernel never asks `mq` itself for anything: a packet goes to the
qdisc of the transmit queue that the device (or XPS, or a filter's `queue_mapping`) chose for it,
and each queue dequeues from its own.  `mq` shows the sums of their counters.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.ref import PyObject
    from cython.cimports.libc.stdlib import calloc, free

from typing import TYPE_CHECKING

from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc

if not cython.compiled:
    from tcc.engine.constants import NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence


class Mq:
    """The root that holds a qdisc for each transmit queue.

    Args:
        pool: where the packets are; a packet's `tx_queue` says which queue it takes.
        children: a qdisc for each queue.

    Raises:
        ValueError: fewer than two queues (the kernel answers EOPNOTSUPP), or a child that keeps
            its packets elsewhere.
    """

    def __init__(self, pool: PacketPool, children: Sequence[QueueDisc]) -> None:
        number: cython.int
        if len(children) < 2:
            raise ValueError("mq needs a device with more than one transmit queue")
        for child in children:
            if child.pool is not pool:
                raise ValueError("a child of mq keeps its packets in another pool")
        self.pool = pool
        self.children = list(children)
        self.queues = len(children)
        if not cython.compiled:
            self.each: list[QueueDisc] = self.children
        else:
            self.each = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                calloc(self.queues, cython.sizeof(cython.size_t)),
            )
            if not self.each:
                raise MemoryError
            for number in range(self.queues):
                self.each[number] = cython.cast(cython.pointer[PyObject], self.children[number])

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.each)

    def queue_of(self, packet: cython.int) -> cython.int:
        """Return the queue of a packet; a number the device does not have means the first."""
        queue: cython.int = self.pool.rows[packet].tx_queue
        return queue if queue < self.queues else 0

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Hand a packet to its queue's qdisc at `now` (ns); answer as that does."""
        queue: cython.int = self.queue_of(packet)
        if not cython.compiled:
            return self.each[queue].do_enqueue(packet, now)
        return cython.cast(QueueDisc, self.each[queue]).do_enqueue(packet, now)

    def do_dequeue(self, queue: cython.int, now: cython.longlong) -> cython.int:
        """Give the next packet of one queue, or NIL."""
        if not cython.compiled:
            return self.each[queue].do_dequeue(now)
        return cython.cast(QueueDisc, self.each[queue]).do_dequeue(now)

    def next_wakeup(self, queue: cython.int) -> cython.longlong:
        """Return when one queue wants to be asked again, and forget it; NEVER if it does not."""
        when: cython.longlong
        if not cython.compiled:
            when = self.each[queue].wakeup
            self.each[queue].wakeup = NEVER
        else:
            when = cython.cast(QueueDisc, self.each[queue]).wakeup
            cython.cast(QueueDisc, self.each[queue]).wakeup = NEVER
        return when

    def enqueue(self, packet: int, now: int) -> int:
        """`do_enqueue`, from Python."""
        self.pool.check(packet)
        return self.do_enqueue(packet, now)

    def dequeue(self, queue: int, now: int) -> int:
        """`do_dequeue`, from Python."""
        self.check(queue)
        return self.do_dequeue(queue, now)

    def take_wakeup(self, queue: int) -> int:
        """`next_wakeup`, from Python."""
        self.check(queue)
        return self.next_wakeup(queue)

    def check(self, queue: int) -> None:
        """Refuse a queue that the device does not have."""
        if not 0 <= queue < self.queues:
            raise IndexError(f"no queue {queue} of {self.queues}")

    def reset(self) -> None:
        """Purge every packet of every queue."""
        for child in self.children:
            child.reset()

    def statistics(self) -> dict[str, int]:
        """Return the sums that `tc -s qdisc` shows of the root."""
        each = [child.statistics() for child in self.children]
        common = QueueDisc(self.pool).statistics()
        return {name: sum(child[name] for child in each) for name in common}
