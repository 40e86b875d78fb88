"""`bfifo`, `pfifo` and `pfifo_head_drop`: first in, first out, up to a limit.

Sources: bfifo_enqueue(), pfifo_enqueue() and pfifo_tail_enqueue() of net/sched/sch_fifo.c;
tc-bfifo(8).  `bfifo` takes a packet while the backlog with it does not exceed the limit, `pfifo`
while fewer packets than the limit are queued.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc

if not cython.compiled:
    from tcc.engine.constants import CN, DROP, NIL, OK, OVERLIMIT, QUEUE_PURGE
    from tcc.engine.rows import Packet


class Fifo(QueueDisc):
    """A first-in, first-out queue.

    Args:
        pool: where its packets are.
        limit: bytes (`bfifo`) or packets that it holds.
        in_bytes: whether the limit counts bytes.
        head_drop: make room by dropping the oldest packet (`pfifo_head_drop`).
    """

    def __init__(
        self, pool: PacketPool, limit: int, in_bytes: bool = True, head_drop: bool = False
    ) -> None:
        QueueDisc.__init__(self, pool)
        self.limit = limit
        self.in_bytes = in_bytes
        self.head_drop = head_drop
        self.head = NIL
        self.tail = NIL

    def change(self, limit: int) -> None:
        """Set the limit; packets beyond it stay, as in fifo_init()."""
        self.limit = limit

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Append the packet if there is room."""
        rows: cython.pointer[Packet] = self.pool.rows
        verdict: cython.int = OK
        self.note_received(packet)
        if self.in_bytes:
            if self.backlog + rows[packet].length > self.limit:
                self.drop_before(packet, OVERLIMIT)
                return DROP
        elif self.qlen >= self.limit:
            if not self.head_drop or self.limit == 0:
                self.drop_before(packet, OVERLIMIT)
                return DROP
            self.drop_after(self.unlink(), OVERLIMIT)
            verdict = CN
        rows[packet].enqueue_time = now
        rows[packet].next = NIL
        if self.tail == NIL:
            self.head = packet
        else:
            rows[self.tail].next = packet
        self.tail = packet
        self.note_enqueued(packet)
        return verdict

    def unlink(self) -> cython.int:
        """Take the oldest packet off the queue, uncounted."""
        packet: cython.int = self.head
        self.head = self.pool.rows[packet].next
        if self.head == NIL:
            self.tail = NIL
        self.pool.rows[packet].next = NIL
        return packet

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give the oldest packet."""
        if self.head == NIL:
            return NIL
        packet: cython.int = self.unlink()
        self.note_dequeued(packet)
        return packet

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Show the oldest packet."""
        return self.head

    def do_reset(self) -> cython.void:
        """Purge every packet."""
        while self.head != NIL:
            self.drop_after(self.unlink(), QUEUE_PURGE)
            self.drops -= 1
