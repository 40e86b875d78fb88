"""`pfifo_fast`: three first-in, first-out bands by strict priority.

Sources: pfifo_fast_enqueue(), pfifo_fast_dequeue() and prio2band[] of net/sched/sch_generic.c;
tc-pfifo_fast(8).  Each band holds as many packets as the device's transmit queue length, a
super-packet counting as one.  A band is a ring whose places become free in batches, as those of
struct ptr_ring (include/linux/ptr_ring.h) do: a full band of 1000 has room again only when 16
packets have left it, or when its end is reached.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc

if not cython.compiled:
    from tcc.engine.constants import DROP, NIL, OK, OVERLIMIT, QUEUE_PURGE
    from tcc.engine.rows import Packet

BANDS = 3
BATCH = 16  # places of a ring: two cache lines of pointers
BAND_OF_PRIORITY = (1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)


class PfifoFast(QueueDisc):
    """The qdisc that the kernel gives a device by itself.

    Args:
        pool: where its packets are.
        limit: packets of each band (the device's txqueuelen).
    """

    def __init__(self, pool: PacketPool, limit: int = 1000) -> None:
        number: cython.int
        QueueDisc.__init__(self, pool)
        if limit <= 0:
            raise ValueError("a band of pfifo_fast holds at least 1 packet")
        self.limit = limit
        self.batch = BATCH if limit // 2 >= BATCH else 1
        if not cython.compiled:
            self.heads = [NIL] * BANDS
            self.tails = [NIL] * BANDS
            self.held = [0] * BANDS
            self.places = [0] * BANDS
            self.stale = [0] * BANDS
            self.bands = [0] * 16
        for number in range(BANDS):
            self.heads[number] = NIL
            self.tails[number] = NIL
            self.held[number] = 0
            self.places[number] = 0
            self.stale[number] = 0
        for number in range(16):
            self.bands[number] = BAND_OF_PRIORITY[number]

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Append the packet to its band if there is room."""
        rows: cython.pointer[Packet] = self.pool.rows
        band: cython.int = self.bands[rows[packet].priority & 15]
        self.note_received(packet)
        if self.held[band] + self.stale[band] >= self.limit:
            self.drop_before(packet, OVERLIMIT)
            return DROP
        rows[packet].enqueue_time = now
        rows[packet].next = NIL
        if self.heads[band] == NIL:
            self.heads[band] = packet
        else:
            rows[self.tails[band]].next = packet
        self.tails[band] = packet
        self.held[band] += 1
        self.note_enqueued(packet)
        return OK

    def band_with_packets(self) -> cython.int:
        """Return the first band that holds packets, or NIL."""
        band: cython.int
        for band in range(3):
            if self.heads[band] != NIL:
                return band
        return NIL

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give the oldest packet of the first band that has one."""
        band: cython.int = self.band_with_packets()
        packet: cython.int
        if band == NIL:
            return NIL
        packet = self.unlink(band)
        self.note_dequeued(packet)
        return packet

    def unlink(self, band: cython.int) -> cython.int:
        """Take the oldest packet of a band off it; its place in the ring may stay taken."""
        packet: cython.int = self.heads[band]
        self.heads[band] = self.pool.rows[packet].next
        self.pool.rows[packet].next = NIL
        self.held[band] -= 1
        self.places[band] += 1
        self.stale[band] += 1
        if self.stale[band] >= self.batch or self.places[band] >= self.limit:
            self.stale[band] = 0
        if self.places[band] >= self.limit:
            self.places[band] = 0
        return packet

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Show the packet that is next."""
        band: cython.int = self.band_with_packets()
        return NIL if band == NIL else self.heads[band]

    def do_reset(self) -> cython.void:
        """Purge every packet."""
        band: cython.int = self.band_with_packets()
        packet: cython.int
        while band != NIL:
            packet = self.unlink(band)
            self.drop_after(packet, QUEUE_PURGE)
            self.drops -= 1
            band = self.band_with_packets()
