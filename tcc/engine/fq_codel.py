# cython: cdivision=True
"""`fq_codel`: fair queueing, and CoDel on every flow.

Sources: RFC 8290 and RFC 8289; fq_codel_enqueue(), fq_codel_drop() and fq_codel_dequeue() of
net/sched/sch_fq_codel.c, codel_dequeue() of include/net/codel_impl.h; tc-fq_codel(8).  Of the
kernel are: times in units of 1024 ns, the 16-bit inverse square root with one Newton step for each
count, drops in batches when the queue is full, and at most 256 CoDel drops in one dequeue.
A filter's verdict is the packet's `classid`.
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

if not cython.compiled:
    from tcc.engine.constants import (
        CE,
        CN,
        CONGESTED,
        DROP,
        IPV4,
        IPV6,
        NIL,
        NOT_ECT,
        OK,
        OVERLIMIT,
        QUEUE_PURGE,
        UNCLASSIFIED,
    )  # fmt: skip
    from tcc.engine.fair_rows import CodelFlow
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import LOCAL

    CodelFlowRow = CodelFlow

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF
THREE = 3 << 32
HALF = 1 << 31
SHIFT = 10  # of ns to CoDel's clock
MOST_DROPS = 256  # of one dequeue
NO_THRESHOLD = -1


class FqCodel(QueueDisc):
    """Fair queueing with CoDel.

    Args:
        pool: where its packets are.
        limit: packets in all.
        flows: queues.
        target: CoDel's target, in us.
        interval: CoDel's interval, in us.
        quantum: bytes a flow may send in its turn.
        memory_limit: bytes of packet memory.
        ecn: mark instead of dropping where the packet allows it.
        drop_batch: packets dropped at once when the queue is full.
        ce_threshold: mark every ECN-capable packet that waited longer, in us; None for never.
        mtu: bytes of backlog up to which CoDel does not act.
        handle: the qdisc's own; a priority of that major number chooses the flow.
        ce_mask: bits of the TOS byte that `ce_threshold` looks at; 0 for every packet.
        ce_selector: what these bits are in packets that `ce_threshold` marks.
    """

    def __init__(
        self,
        pool: PacketPool,
        *,
        limit: int = 10240,
        flows: int = 1024,
        target: int = 5_000,
        interval: int = 100_000,
        quantum: int = 1514,
        memory_limit: int = 32 << 20,
        ecn: bool = True,
        drop_batch: int = 64,
        ce_threshold: int | None = None,
        mtu: int = 1514,
        handle: int = 0,
        ce_mask: int = 0,
        ce_selector: int = 0,
    ) -> None:
        f: cython.int
        QueueDisc.__init__(self, pool)
        if not 0 < flows <= 65536:
            raise ValueError("fq_codel has 1 to 65536 flows")
        self.flows = flows
        self.mtu = mtu
        self.handle = handle
        self.ce_mask = ce_mask
        self.ce_selector = ce_selector
        self.memory = 0
        self.new_flows = 0
        self.ce_marks = 0
        self.longest = 0
        self.overlimit_drops = 0
        self.overmemory_drops = 0
        self.new_head = NIL
        self.new_tail = NIL
        self.old_head = NIL
        self.old_tail = NIL
        self.change(limit, target, interval, quantum, memory_limit, ecn, drop_batch, ce_threshold)
        if not cython.compiled:
            self.queues = [CodelFlow() for _ in range(flows)]
        else:
            self.queues = cython.cast(
                cython.pointer[CodelFlow], calloc(flows, cython.sizeof(CodelFlow))
            )
            if not self.queues:
                raise MemoryError
        for f in range(flows):
            self.queues[f].head = NIL

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.queues)

    def change(
        self,
        limit: int,
        target: int,
        interval: int,
        quantum: int,
        memory_limit: int,
        ecn: bool,
        drop_batch: int,
        ce_threshold: int | None = None,
    ) -> None:
        """Set every parameter but the number of flows; arguments as for a new one.

        The kernel then purges what the limits no longer leave room for: see `shrink`.
        """
        self.limit = limit
        self.target = target * 1000 >> SHIFT
        self.interval = interval * 1000 >> SHIFT
        self.ce_threshold = NO_THRESHOLD if ce_threshold is None else ce_threshold * 1000 >> SHIFT
        self.quantum = max(quantum, 256)
        self.memory_limit = memory_limit
        self.ecn = ecn
        self.drop_batch = max(drop_batch, 1)

    def shrink(self, now: int) -> None:
        """Purge what the limits no longer leave room for, as a change does at `now` (ns)."""
        while self.qlen > self.limit or self.memory > self.memory_limit:
            packet = self.do_dequeue(now)
            if packet == NIL:
                return
            self.undo_dequeue(packet)

    def undo_dequeue(self, packet: cython.int) -> cython.void:
        """Count a packet that was dequeued as purged."""
        length: cython.uint = self.pool.rows[packet].length
        self.dequeued -= 1
        self.dequeued_bytes -= length
        self.qlen += 1
        self.backlog += length
        self.drop_after(packet, QUEUE_PURGE)
        self.drops -= 1

    def at(self, f: cython.int) -> CodelFlowRow:
        """Return the row of a flow."""
        if not cython.compiled:
            return self.queues[f]
        return cython.address(self.queues[f])

    def append_old(self, f: cython.int) -> cython.void:
        """Append a flow to the old ones."""
        self.queues[f].next = NIL
        if self.old_head == NIL:
            self.old_head = f
        else:
            self.queues[self.old_tail].next = f
        self.old_tail = f

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Append a packet to its flow; drop a batch from the fattest flow when full."""
        rows: cython.pointer[Packet] = self.pool.rows
        f: cython.int = self.flow_of(packet)
        before: cython.longlong = self.dropped_after
        flow: CodelFlowRow
        self.note_received(packet)
        if f == NIL:
            self.drop_before(packet, UNCLASSIFIED)
            return DROP
        flow = self.at(f)
        rows[packet].enqueue_time = now
        rows[packet].next = NIL
        if flow.head == NIL:
            flow.head = packet
        else:
            rows[flow.tail].next = packet
        flow.tail = packet
        flow.backlog += rows[packet].length
        self.note_enqueued(packet)
        if not flow.listed:
            flow.listed = 1
            flow.next = NIL
            if self.new_head == NIL:
                self.new_head = f
            else:
                self.queues[self.new_tail].next = f
            self.new_tail = f
            self.new_flows += 1
            flow.deficit = self.quantum
        self.memory += self.memory_of(packet)
        overmemory: cython.bint = self.memory > self.memory_limit
        if self.qlen <= self.limit and not overmemory:
            return OK
        fattest: cython.int = self.drop_fattest()
        self.overlimit_drops += self.dropped_after - before
        if overmemory:
            self.overmemory_drops += self.dropped_after - before
        return CN if fattest == f else OK

    def flow_of(self, packet: cython.int) -> cython.int:
        """Hash a packet, unless its priority or a filter names a flow; NIL if that is none."""
        rows: cython.pointer[Packet] = self.pool.rows
        minor: cython.uint = rows[packet].priority & 0xFFFF
        wide: cython.ulonglong = rows[packet].flow_hash
        if rows[packet].priority - minor == self.handle and 0 < minor <= self.flows:
            return minor - 1
        if rows[packet].classid:
            minor = rows[packet].classid & 0xFFFF
            return minor - 1 if minor <= self.flows else NIL
        return (wide * self.flows) >> 32

    def memory_of(self, packet: cython.int) -> cython.uint:
        """Return what a packet counts as memory: nothing while a local socket pays for it.

        (is_skb_wmem() in Linux 7.3; 6.18 counts every packet.)
        """
        if self.pool.rows[packet].flags & LOCAL:
            return 0
        return self.pool.rows[packet].truesize

    def take(self, flow: CodelFlowRow) -> cython.int:
        """Take the oldest packet of a flow off it."""
        packet: cython.int = flow.head
        if packet != NIL:
            flow.head = self.pool.rows[packet].next
            self.pool.rows[packet].next = NIL
            flow.backlog -= self.pool.rows[packet].length
            self.memory -= self.memory_of(packet)
        return packet

    def drop_fattest(self) -> cython.int:
        """Drop up to a batch, or half of the fattest flow; return that flow."""
        f: cython.int
        fattest: cython.int = 0
        most: cython.longlong = 0
        dropped: cython.int = 0
        length: cython.longlong = 0
        packet: cython.int
        flow: CodelFlowRow
        for f in range(self.flows):
            if self.queues[f].backlog > most:
                most = self.queues[f].backlog
                fattest = f
        flow = self.at(fattest)
        most = most >> 1
        while True:
            packet = self.take(flow)
            if packet == NIL:
                break
            length += self.pool.rows[packet].length
            self.drop_after(packet, OVERLIMIT)
            dropped += 1
            if dropped >= self.drop_batch or length >= most:
                break
        flow.count = (flow.count + dropped) & M32
        return fattest

    def should_drop(
        self, flow: CodelFlowRow, packet: cython.int, tick: cython.longlong
    ) -> cython.bint:
        """Say whether the delay has been above target for an interval (codel_should_drop())."""
        if packet == NIL:
            flow.first_above = 0
            return False
        if self.pool.rows[packet].length > self.longest:
            self.longest = self.pool.rows[packet].length
        self.sojourn = tick - (self.pool.rows[packet].enqueue_time >> SHIFT)
        # the whole qdisc's backlog counts (__fq_codel_dequeue()), this packet taken off already
        if self.sojourn < self.target or (self.backlog <= self.mtu + self.pool.rows[packet].length):
            flow.first_above = 0
            return False
        if flow.first_above == 0:
            flow.first_above = tick + self.interval
            return False
        return tick > flow.first_above

    def mark(self, packet: cython.int) -> cython.bint:
        """Set CE where ECN allows it; say whether it is set."""
        rows: cython.pointer[Packet] = self.pool.rows
        if rows[packet].protocol != IPV4 and rows[packet].protocol != IPV6:
            return False
        if (rows[packet].tos & CE) == NOT_ECT:
            return False
        rows[packet].tos = rows[packet].tos | CE
        return True

    def step(self, flow: CodelFlowRow) -> cython.void:
        """Bring the inverse square root one Newton step nearer to the count."""
        wide: cython.ulonglong = flow.rec
        square: cython.ulonglong
        value: cython.ulonglong
        wide = wide << 16
        square = (wide * wide) >> 32
        value = ((THREE - flow.count * square) & M64) >> 2
        value = ((value * wide) & M64) >> 31
        flow.rec = (value >> 16) & 0xFFFF

    def law(self, tick: cython.longlong, flow: CodelFlowRow) -> cython.longlong:
        """Return when the next drop is due after one at `tick`."""
        wide: cython.ulonglong = flow.rec
        interval: cython.ulonglong = self.interval
        later: cython.ulonglong = (interval * (wide << 16)) >> 32
        return tick + (later if later > 0 else 1)

    def drop_until(
        self, flow: CodelFlowRow, packet: cython.int, tick: cython.longlong
    ) -> cython.int:
        """Drop or mark what is due in the dropping state; return the packet to deliver."""
        drops: cython.int = 0
        while flow.dropping and tick >= flow.drop_next:
            drops += 1
            if drops > MOST_DROPS:
                flow.drop_next = self.law(tick, flow)
                break
            flow.count = (flow.count + 1) & M32
            self.step(flow)
            if self.ecn and self.mark(packet):
                self.marks += 1
                flow.drop_next = self.law(flow.drop_next, flow)
                break
            self.drop_after(packet, CONGESTED)
            packet = self.take(flow)
            if self.should_drop(flow, packet, tick):
                flow.drop_next = self.law(flow.drop_next, flow)
            else:
                flow.dropping = 0
        return packet

    def codel(self, flow: CodelFlowRow, tick: cython.longlong) -> cython.int:
        """Return the next packet of a flow that CoDel lets through, or NIL."""
        packet: cython.int = self.take(flow)
        drop: cython.bint
        delta: cython.uint
        since: cython.ulonglong
        if packet == NIL:
            flow.first_above = 0
            flow.dropping = 0
            return NIL
        drop = self.should_drop(flow, packet, tick)
        if flow.dropping:
            if not drop:
                flow.dropping = 0
            else:
                packet = self.drop_until(flow, packet, tick)
        elif drop:
            if self.ecn and self.mark(packet):
                self.marks += 1
            else:
                self.drop_after(packet, CONGESTED)
                packet = self.take(flow)
                self.should_drop(flow, packet, tick)
            flow.dropping = 1
            delta = (flow.count - flow.lastcount) & M32
            # the kernel's clock has 32 bits: a flow's distant past may look like its future
            since = (tick - flow.drop_next - 16 * self.interval) & M32
            if delta > 1 and since >= HALF:
                flow.count = delta
                self.step(flow)
            else:
                flow.count = 1
                flow.rec = 0xFFFF
            flow.lastcount = flow.count
            flow.drop_next = self.law(tick, flow)
        if (
            packet != NIL
            and self.ce_threshold >= 0
            and self.sojourn > self.ce_threshold
            and (self.pool.rows[packet].tos & self.ce_mask) == self.ce_selector
            and self.mark(packet)
        ):
            self.ce_marks += 1
        return packet

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Serve new flows, then old ones, by deficit round robin."""
        packet: cython.int = self.parked
        f: cython.int
        fresh: cython.bint
        flow: CodelFlowRow
        if packet != NIL:
            return self.take_parked(now)
        while True:
            fresh = self.new_head != NIL
            f = self.new_head if fresh else self.old_head
            if f == NIL:
                return NIL
            flow = self.at(f)
            if flow.deficit <= 0:
                flow.deficit += self.quantum
                self.leave(fresh)
                self.append_old(f)
                continue
            packet = self.codel(flow, now >> SHIFT)
            if packet != NIL:
                break
            self.leave(fresh)
            if fresh and self.old_head != NIL:
                self.append_old(f)
            else:
                flow.listed = 0
        flow.deficit -= self.pool.rows[packet].length
        self.note_dequeued(packet)
        return packet

    def leave(self, fresh: cython.bint) -> cython.void:
        """Take the first flow off the list of new or of old ones."""
        if fresh:
            self.new_head = self.queues[self.new_head].next
        else:
            self.old_head = self.queues[self.old_head].next

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Peek by dequeuing, as qdisc_peek_dequeued()."""
        return self.peek_dequeued(now)

    def do_reset(self) -> cython.void:
        """Purge every packet and forget what CoDel knows of each flow."""
        f: cython.int
        packet: cython.int
        if self.parked != NIL:
            self.drop_after(self.parked, QUEUE_PURGE)
            self.drops -= 1
            self.parked = NIL
        for f in range(self.flows):
            packet = self.take(self.at(f))
            while packet != NIL:
                self.drop_after(packet, QUEUE_PURGE)
                self.drops -= 1
                packet = self.take(self.at(f))
            self.queues[f].listed = 0
            self.queues[f].dropping = 0
            self.queues[f].count = 0
            self.queues[f].lastcount = 0
            self.queues[f].first_above = 0
            self.queues[f].drop_next = 0
            self.queues[f].rec = 0
        self.new_head = NIL
        self.old_head = NIL

    def length_of(self, first: cython.int) -> int:
        """Return how many flows a list has."""
        count = 0
        while first != NIL:
            count += 1
            first = self.queues[first].next
        return count

    def statistics(self) -> dict[str, int]:
        """Return what `tc -s qdisc` shows, under tc's names."""
        return {
            **QueueDisc.statistics(self),
            "maxpacket": self.longest,
            "drop_overlimit": self.overlimit_drops,
            "drop_overmemory": self.overmemory_drops,
            "memory_used": self.memory,
            "new_flow_count": self.new_flows,
            "ecn_mark": self.marks,
            "ce_mark": self.ce_marks,
            "new_flows_len": self.length_of(self.new_head),
            "old_flows_len": self.length_of(self.old_head),
        }
