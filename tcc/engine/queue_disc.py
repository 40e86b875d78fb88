"""The one interface of queueing disciplines, and what they all count.

A qdisc is a subclass that provides `do_enqueue`, `do_dequeue`, `do_peek` and `do_reset` (and a
`change` of its own).  Compiled code calls these; from Python use `enqueue`, `dequeue`, `peek`
and `reset`, which call them.

The rules:

* `do_enqueue` answers OK, DROP (this packet was dropped) or CN (taken, but its flow lost
  another).  Packets that were dropped by a call lie in the pool's list of dropped packets when
  it returns, each with its reason; the caller drains the list, whatever the answer was.
* `do_dequeue` answers a packet or NIL.
* `wakeup` is the time for which the qdisc last armed its timer.  After every call the caller
  looks at it and, if it is not NEVER, arms its timer for that time (replacing an earlier one) and
  sets it to NEVER.  When the timer fires the caller dequeues.
* Every identity below holds after every call, in packets and in bytes:

      received == enqueued + dropped_before
      qlen     == enqueued - dequeued - dropped_after

  `backlog` is the byte form of `qlen`.  A super-packet that a qdisc splits is received as its
  segments.  A packet parked by `peek` is still queued.
* `drops` is the kernel's counter (`tc -s qdisc`), which leaves out purged packets.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.constants import REASON_NAMES
from tcc.engine.packet import PacketPool

if not cython.compiled:
    from tcc.engine.constants import DROP, NEVER, NIL, QDISC_DROP, REASONS


class QueueDisc:
    """A qdisc that takes nothing and gives nothing.

    Args:
        pool: where its packets are.
    """

    def __init__(self, pool: PacketPool) -> None:
        reason: cython.int
        self.pool = pool
        self.wakeup = NEVER
        self.qlen = 0
        self.backlog = 0
        self.received = 0
        self.received_bytes = 0
        self.enqueued = 0
        self.enqueued_bytes = 0
        self.dequeued = 0
        self.dequeued_bytes = 0
        self.dropped_before = 0
        self.dropped_before_bytes = 0
        self.dropped_after = 0
        self.dropped_after_bytes = 0
        self.drops = 0
        self.overlimits = 0
        self.requeues = 0
        self.marks = 0
        self.parked = NIL
        if not cython.compiled:
            self.by_reason = [0] * REASONS
        for reason in range(REASONS):
            self.by_reason[reason] = 0

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Take a packet at `now` (ns); answer OK, DROP or CN."""
        self.note_received(packet)
        self.drop_before(packet, QDISC_DROP)
        return DROP

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give the next packet that may leave at `now` (ns), or NIL."""
        return NIL

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Show the packet that `do_dequeue` would give, or NIL, and leave it here."""
        return NIL

    def do_reset(self) -> cython.void:
        """Drop every packet, as when the device goes down; purged, not counted in `drops`."""

    def note_received(self, packet: cython.int) -> cython.void:
        """Count a packet that has come."""
        self.received += 1
        self.received_bytes += self.pool.rows[packet].length

    def note_enqueued(self, packet: cython.int) -> cython.void:
        """Count a packet that is now queued."""
        length: cython.uint = self.pool.rows[packet].length
        self.enqueued += 1
        self.enqueued_bytes += length
        self.qlen += 1
        self.backlog += length

    def note_dequeued(self, packet: cython.int) -> cython.void:
        """Count a packet that leaves for the device."""
        length: cython.uint = self.pool.rows[packet].length
        self.dequeued += 1
        self.dequeued_bytes += length
        self.qlen -= 1
        self.backlog -= length

    def drop_before(self, packet: cython.int, reason: cython.int) -> cython.void:
        """Drop a packet that was received and not queued."""
        self.dropped_before += 1
        self.dropped_before_bytes += self.pool.rows[packet].length
        self.drops += 1
        self.by_reason[reason] += 1
        self.pool.dropped(packet, reason)

    def drop_after(self, packet: cython.int, reason: cython.int) -> cython.void:
        """Drop a packet that was queued."""
        length: cython.uint = self.pool.rows[packet].length
        self.dropped_after += 1
        self.dropped_after_bytes += length
        self.qlen -= 1
        self.backlog -= length
        self.drops += 1
        self.by_reason[reason] += 1
        self.pool.dropped(packet, reason)

    def peek_dequeued(self, now: cython.longlong) -> cython.int:
        """Peek as qdisc_peek_dequeued: dequeue, and park the packet here.

        For qdiscs that cannot tell which packet is next without taking it.  Their `do_dequeue`
        starts with `take_parked`.
        """
        packet: cython.int = self.parked
        if packet == NIL:
            packet = self.do_dequeue(now)
            if packet != NIL:
                self.parked = packet
                self.dequeued -= 1
                self.dequeued_bytes -= self.pool.rows[packet].length
                self.qlen += 1
                self.backlog += self.pool.rows[packet].length
        return packet

    def take_parked(self, now: cython.longlong) -> cython.int:
        """Give the packet that a peek has parked, or NIL."""
        packet: cython.int = self.parked
        if packet != NIL:
            self.parked = NIL
            self.note_dequeued(packet)
        return packet

    def enqueue(self, packet: int, now: int) -> int:
        """`do_enqueue`, from Python."""
        self.pool.check(packet)
        return self.do_enqueue(packet, now)

    def dequeue(self, now: int) -> int:
        """`do_dequeue`, from Python."""
        return self.do_dequeue(now)

    def peek(self, now: int) -> int:
        """`do_peek`, from Python."""
        return self.do_peek(now)

    def reset(self) -> None:
        """`do_reset`, from Python."""
        self.do_reset()

    def take_wakeup(self) -> int:
        """Return the time the last calls armed the timer for, NEVER if they did not."""
        when = self.wakeup
        self.wakeup = NEVER
        return when

    def statistics(self) -> dict[str, int]:
        """Return what `tc -s qdisc` shows of any qdisc: a parked packet counts as sent, too."""
        parked = self.parked != NIL
        return {
            "bytes": self.dequeued_bytes + (self.pool.rows[self.parked].length if parked else 0),
            "packets": self.dequeued + parked,
            "drops": self.drops,
            "overlimits": self.overlimits,
            "requeues": self.requeues,
            "backlog": self.backlog,
            "qlen": self.qlen,
        }

    def marked(self) -> int:
        """Return how many packets were marked CE."""
        return self.marks

    def drops_by_reason(self) -> dict[str, int]:
        """Return how many packets were dropped for each reason that occurred."""
        reason: cython.int
        found = {}
        for reason in range(REASONS):
            if self.by_reason[reason]:
                found[REASON_NAMES[reason]] = self.by_reason[reason]
        return found
