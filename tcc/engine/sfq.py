# cython: cdivision=True
"""`sfq`, stochastic fairness queueing: as many queues as flows, served by turns.

Sources: sfq_enqueue(), sfq_drop(), sfq_dequeue() and sfq_rehash() of net/sched/sch_sfq.c;
tc-sfq(8).  RED inside SFQ is left out.  With `perturb`, the kernel changes its hash key in a
timer; here it changes before the first packet that comes after that time, which no packet can
tell apart but for the moment at which a re-hash drops.  A filter's verdict is the packet's
`classid`; with filters the kernel never re-hashes.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free

from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc
from tcc.engine.random import Random

if not cython.compiled:
    from tcc.engine.constants import (
        CN,
        DROP,
        FLOW_LIMIT,
        NIL,
        OK,
        OVERLIMIT,
        QUEUE_PURGE,
        UNCLASSIFIED,
    )
    from tcc.engine.fair_rows import Slot
    from tcc.engine.rows import Packet

M32 = 0xFFFFFFFF
LIMIT = 127  # packets, and packets of one flow
FLOWS = 128
DIVISOR = 1024
MOST_DEPTH = 127
MOST_FLOWS = 65_408


class Sfq(QueueDisc):
    """Stochastic fairness queueing.

    Args:
        pool: where its packets are.
        random: where the hash key comes from.
        limit: packets in all.
        depth: packets of one flow.
        flows: queues at a time.
        divisor: buckets of the hash table, a power of two.
        quantum: bytes a flow may send in its turn.
        head_drop: drop the oldest packet of a flow and not the newest.
        perturb: ns after which the hash key changes; 0 for never.
        handle: the qdisc's own; a priority of that major number chooses the bucket.

    Raises:
        ValueError: what the kernel answers with EINVAL.
    """

    def __init__(
        self,
        pool: PacketPool,
        random: Random,
        *,
        limit: int = LIMIT,
        depth: int = LIMIT,
        flows: int = FLOWS,
        divisor: int = DIVISOR,
        quantum: int = 1514,
        head_drop: bool = False,
        perturb: int = 0,
        handle: int = 0,
    ) -> None:
        x: cython.int
        QueueDisc.__init__(self, pool)
        if divisor & (divisor - 1) or not 0 < divisor <= 65536:
            raise ValueError("the divisor of sfq is a power of two up to 65536")
        if not 0 < quantum <= 1 << 20:
            raise ValueError("the quantum of sfq is 1 to 1048576 bytes")
        flows, depth = min(flows, MOST_FLOWS, divisor), min(depth, MOST_DEPTH)
        self.limit = min(limit, depth * flows)
        if self.limit <= 1:
            raise ValueError("sfq holds at least 2 packets")
        self.depth = depth
        self.flows = min(flows, self.limit)
        self.divisor = divisor
        self.quantum = max(quantum, 256)
        self.head_drop = head_drop
        self.perturb = perturb
        self.handle = handle
        self.random = random
        self.key = random.u32()
        self.next_key = perturb
        self.deepest = 0
        self.last = NIL
        if not cython.compiled:
            self.slots = [Slot() for _ in range(self.flows)]
            self.table: list[int] = [NIL] * divisor
            self.most: list[int] = [NIL] * (depth + 1)
        else:
            self.slots = cython.cast(cython.pointer[Slot], calloc(self.flows, cython.sizeof(Slot)))
            self.table = cython.cast(
                cython.pointer[cython.int], calloc(divisor, cython.sizeof(cython.int))
            )
            self.most = cython.cast(
                cython.pointer[cython.int], calloc(depth + 1, cython.sizeof(cython.int))
            )
            if not self.slots or not self.table or not self.most:
                raise MemoryError
        for x in range(divisor):
            self.table[x] = NIL
        for x in range(depth + 1):
            self.most[x] = NIL
        for x in range(self.flows):
            self.slots[x].head = NIL
            self.slots[x].tail = NIL
            self.link(x)

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.slots)
            free(self.table)
            free(self.most)

    def bucket_of(self, packet: cython.int) -> cython.int:
        """Hash a packet, unless its priority or a filter names a bucket; NIL if that is none."""
        rows: cython.pointer[Packet] = self.pool.rows
        minor: cython.uint = rows[packet].priority & 0xFFFF
        major: cython.uint = rows[packet].priority - minor
        if major == self.handle and 0 < minor <= self.divisor:
            return minor - 1
        if rows[packet].classid:
            minor = rows[packet].classid & 0xFFFF
            return minor - 1 if minor <= self.divisor else NIL
        return self.hash_of(packet)

    def hash_of(self, packet: cython.int) -> cython.int:
        """Return the bucket that a packet's headers hash to."""
        mixed: cython.ulonglong = self.pool.rows[packet].flow_hash ^ self.key
        mixed = ((mixed ^ (mixed >> 16)) * 0x045D9F3B) & M32
        mixed = ((mixed ^ (mixed >> 16)) * 0x045D9F3B) & M32
        return (mixed ^ (mixed >> 16)) & (self.divisor - 1)

    def link(self, x: cython.int) -> cython.void:
        """List a slot among those that hold as many packets, as the newest."""
        slots: cython.pointer[Slot] = self.slots
        n: cython.int = slots[x].qlen
        slots[x].newer = NIL
        slots[x].older = self.most[n]
        if self.most[n] != NIL:
            slots[self.most[n]].newer = x
        self.most[n] = x
        if n > self.deepest:
            self.deepest = n

    def unlink(self, x: cython.int) -> cython.void:
        """Take a slot off that list."""
        slots: cython.pointer[Slot] = self.slots
        n: cython.int = slots[x].qlen
        if slots[x].newer == NIL:
            self.most[n] = slots[x].older
        else:
            slots[slots[x].newer].older = slots[x].older
        if slots[x].older != NIL:
            slots[slots[x].older].newer = slots[x].newer
        while self.deepest and self.most[self.deepest] == NIL:
            self.deepest -= 1

    def append(self, x: cython.int, packet: cython.int) -> cython.void:
        """Put a packet at the tail of a slot."""
        rows: cython.pointer[Packet] = self.pool.rows
        slots: cython.pointer[Slot] = self.slots
        rows[packet].next = NIL
        self.unlink(x)
        if slots[x].head == NIL:
            slots[x].head = packet
        else:
            rows[slots[x].tail].next = packet
        slots[x].tail = packet
        slots[x].qlen += 1
        slots[x].backlog += rows[packet].length
        self.link(x)

    def take_head(self, x: cython.int) -> cython.int:
        """Take the oldest packet of a slot."""
        rows: cython.pointer[Packet] = self.pool.rows
        slots: cython.pointer[Slot] = self.slots
        packet: cython.int = slots[x].head
        self.unlink(x)
        slots[x].head = rows[packet].next
        if slots[x].head == NIL:
            slots[x].tail = NIL
        slots[x].qlen -= 1
        slots[x].backlog -= rows[packet].length
        rows[packet].next = NIL
        self.link(x)
        return packet

    def take_tail(self, x: cython.int) -> cython.int:
        """Take the newest packet of a slot."""
        rows: cython.pointer[Packet] = self.pool.rows
        slots: cython.pointer[Slot] = self.slots
        packet: cython.int = slots[x].tail
        before: cython.int = slots[x].head
        if before == packet:
            return self.take_head(x)
        while rows[before].next != packet:
            before = rows[before].next
        self.unlink(x)
        rows[before].next = NIL
        slots[x].tail = before
        slots[x].qlen -= 1
        slots[x].backlog -= rows[packet].length
        self.link(x)
        return packet

    def replace_head(self, x: cython.int, packet: cython.int) -> cython.void:
        """Put a packet at the tail of a full slot and drop the oldest for it.

        The slot keeps its place among those that are as full.
        """
        rows: cython.pointer[Packet] = self.pool.rows
        slots: cython.pointer[Slot] = self.slots
        oldest: cython.int = slots[x].head
        rows[packet].next = NIL
        rows[slots[x].tail].next = packet
        slots[x].tail = packet
        slots[x].head = rows[oldest].next
        slots[x].backlog += rows[packet].length
        slots[x].backlog -= rows[oldest].length
        self.drop_after(oldest, FLOW_LIMIT)

    def leave_table(self, x: cython.int) -> cython.void:
        """Forget which bucket an empty slot served."""
        self.table[self.slots[x].bucket] = NIL

    def join_round(self, x: cython.int) -> cython.void:
        """Place a slot at the end of the round, with a full quantum."""
        slots: cython.pointer[Slot] = self.slots
        if self.last == NIL:
            slots[x].next = x
        else:
            slots[x].next = slots[self.last].next
            slots[self.last].next = x
        self.last = x
        slots[x].allot = self.quantum

    def drop_one(self) -> cython.int:
        """Drop a packet of the fullest slot; return that slot (sfq_drop())."""
        slots: cython.pointer[Slot] = self.slots
        x: cython.int
        packet: cython.int
        if self.deepest > 1:
            x = self.most[self.deepest]
        else:
            x = slots[self.last].next
            if slots[x].next == x:
                self.last = NIL
            else:
                slots[self.last].next = slots[x].next
            self.leave_table(x)
        packet = self.take_head(x) if self.head_drop else self.take_tail(x)
        self.drop_after(packet, OVERLIMIT)
        return x

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Queue a packet with its flow; drop from the fullest flow when there are too many."""
        bucket: cython.int
        x: cython.int
        slots: cython.pointer[Slot] = self.slots
        if self.perturb and now >= self.next_key:
            self.rekey(now)
        self.note_received(packet)
        bucket = self.bucket_of(packet)
        if bucket == NIL:
            self.drop_before(packet, UNCLASSIFIED)
            return DROP
        x = self.table[bucket]
        if x == NIL:
            x = self.most[0]
            if x == NIL:
                self.drop_before(packet, OVERLIMIT)
                return DROP
            self.table[bucket] = x
            slots[x].bucket = bucket
        if slots[x].qlen >= self.depth:
            if not self.head_drop:
                self.drop_before(packet, FLOW_LIMIT)
                return DROP
            self.replace_head(x, packet)
            self.pool.rows[packet].enqueue_time = now
            self.note_enqueued(packet)
            return CN
        self.pool.rows[packet].enqueue_time = now
        self.append(x, packet)
        if slots[x].qlen == 1:
            self.join_round(x)
        self.note_enqueued(packet)
        if self.qlen <= self.limit:
            return OK
        return CN if self.drop_one() == x else OK

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Serve the flow whose turn it is."""
        slots: cython.pointer[Slot] = self.slots
        packet: cython.int = self.parked
        x: cython.int
        if packet != NIL:
            return self.take_parked(now)
        if self.last == NIL:
            return NIL
        x = slots[self.last].next
        while slots[x].allot <= 0:
            self.last = x
            slots[x].allot += self.quantum
            x = slots[x].next
        packet = self.take_head(x)
        if slots[x].qlen == 0:
            self.leave_table(x)
            if slots[x].next == x:
                self.last = NIL
            else:
                slots[self.last].next = slots[x].next
        else:
            slots[x].allot -= self.pool.rows[packet].length
        self.note_dequeued(packet)
        return packet

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Peek by dequeuing, as qdisc_peek_dequeued()."""
        return self.peek_dequeued(now)

    def rekey(self, now: cython.longlong) -> cython.void:
        """Take a new hash key and sort every packet anew (sfq_perturbation())."""
        rows: cython.pointer[Packet] = self.pool.rows
        slots: cython.pointer[Slot] = self.slots
        head: cython.int = NIL
        tail: cython.int = NIL
        packet: cython.int
        bucket: cython.int
        x: cython.int
        self.key = self.random.u32()
        while self.next_key <= now:
            self.next_key += self.perturb
        for x in range(self.flows):
            if slots[x].qlen:
                self.leave_table(x)
            while slots[x].qlen:
                packet = self.take_head(x)
                if head == NIL:
                    head = packet
                else:
                    rows[tail].next = packet
                tail = packet
        self.last = NIL
        while head != NIL:
            packet = head
            head = rows[packet].next
            bucket = self.hash_of(packet)
            x = self.table[bucket]
            if x == NIL:
                x = self.most[0]
                if x != NIL:
                    self.table[bucket] = x
                    slots[x].bucket = bucket
            if x == NIL or slots[x].qlen >= self.depth:
                self.drop_after(packet, OVERLIMIT)
                continue
            self.append(x, packet)
            if slots[x].qlen == 1:
                self.join_round(x)

    def do_reset(self) -> cython.void:
        """Purge every packet."""
        packet: cython.int = self.do_dequeue(0)
        while packet != NIL:
            self.dequeued -= 1
            self.dequeued_bytes -= self.pool.rows[packet].length
            self.qlen += 1
            self.backlog += self.pool.rows[packet].length
            self.drop_after(packet, QUEUE_PURGE)
            self.drops -= 1
            packet = self.do_dequeue(0)
