# cython: cdivision=True
"""`fq`: a queue for every socket, served by turns in three bands, each packet not before its time.

Sources: fq_enqueue(), fq_classify(), fq_fastpath_check(), fq_check_throttled() and fq_dequeue() of
net/sched/sch_fq.c; tc-fq(8).  A flow is a socket, or a hash of the headers where there is none.
A packet may carry its earliest departure time; a flow may have a rate (`pace`), and all may have
one.  Left out: the memory of flows is a chained hash table and not a forest, and what the kernel
learns of a TCP socket's own pacing rate (the engine's TCP paces itself).
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free, realloc

from typing import TYPE_CHECKING

from tcc.engine.packet import PacketPool
from tcc.engine.pfifo_fast import BAND_OF_PRIORITY
from tcc.engine.queue_disc import QueueDisc

if not cython.compiled:
    from tcc.engine.constants import (
        BAND_LIMIT,
        CE,
        DROP,
        FLOW_LIMIT,
        HORIZON_LIMIT,
        IPV4,
        IPV6,
        NEVER,
        NIL,
        NOT_ECT,
        OK,
        QUEUE_PURGE,
    )  # fmt: skip
    from tcc.engine.fair_rows import FqFlow
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import LOCAL

if TYPE_CHECKING:
    from collections.abc import Sequence

UNLIMITED = (1 << 63) - 1  # bytes/s
SECOND = 1_000_000_000
FAR = (1 << 63) - 1  # no flow waits for its time
DETACHED = 0
LISTED = 1
THROTTLED = 2
INTERNAL = 0  # row of the flow of packets on the fast path
BANDS = 3
FAST_PACKETS = 8  # on the fast path at a time
GC_AGE = 3  # s
WEIGHTS = (589_824, 196_608, 65_536)


class Fq(QueueDisc):
    """Fair queueing with pacing.

    Args:
        pool: where its packets are.
        limit: packets of each band.
        flow_limit: packets of one flow.
        quantum: bytes a flow may send in its turn; twice the longest frame.
        initial_quantum: bytes that a flow not seen before may send at once.
        pacing: whether rates count (departure times always do).
        flow_max_rate: bytes/s of every flow; None for no limit.
        buckets: hash buckets, a power of two.
        orphan_mask: which bits of the hash tell flows without a socket apart.
        refill_delay: ns after which an idle flow has a full quantum again.
        low_rate_threshold: bytes/s up to which every single packet is paced.
        ce_threshold: mark ECN-capable packets sent this many ns too late; None for never.
        timer_slack: ns by which the timer may be late, and on an idle host is.
        horizon: ns beyond which no departure time may lie.
        horizon_drop: drop a packet beyond the horizon, and do not cap its time.
        priomap: the band of each of 16 priorities.
        weights: bytes that each band may send in its turn.
        jiffy: ns of the kernel's tick, in which ages of flows are counted.
    """

    def __init__(
        self,
        pool: PacketPool,
        *,
        limit: int = 10_000,
        flow_limit: int = 100,
        quantum: int = 2 * 1514,
        initial_quantum: int = 10 * 1514,
        pacing: bool = True,
        flow_max_rate: int | None = None,
        buckets: int = 1024,
        orphan_mask: int = 1023,
        refill_delay: int = 40_000_000,
        low_rate_threshold: int = 68_750,
        ce_threshold: int | None = None,
        timer_slack: int = 10_000,
        horizon: int = 10_000_000_000,
        horizon_drop: bool = True,
        priomap: Sequence[int] = BAND_OF_PRIORITY,
        weights: Sequence[int] = WEIGHTS,
        jiffy: int = 1_000_000,
    ) -> None:
        QueueDisc.__init__(self, pool)
        if buckets & (buckets - 1) or not 2 <= buckets <= 1 << 18:
            raise ValueError("the buckets of fq are a power of two from 2 to 262144")
        if not 0 <= initial_quantum <= 1 << 20:
            raise ValueError("the initial quantum of fq is 0 to 1048576 bytes")
        if len(priomap) != 16 or not all(0 <= band < BANDS for band in priomap):
            raise ValueError("the priomap of fq has 16 bands from 0 to 2")
        if len(weights) != BANDS or min(weights) < 16_384:
            raise ValueError("the weights of fq are 3 numbers of at least 16384 bytes")
        self.limit = limit
        self.flow_limit = flow_limit
        self.quantum = min(max(quantum, 256), 1 << 20)
        self.initial_quantum = initial_quantum
        self.pacing = pacing
        self.flow_max_rate = UNLIMITED if flow_max_rate is None else flow_max_rate
        self.orphan_mask = orphan_mask
        self.refill_delay = refill_delay
        self.low_rate_threshold = low_rate_threshold
        self.ce_threshold = -1 if ce_threshold is None else ce_threshold
        self.timer_slack = timer_slack
        self.horizon = horizon
        self.horizon_drop = horizon_drop
        self.jiffy = jiffy
        self.buckets = buckets
        self.make_tables(priomap, weights)

    def make_tables(self, priomap: Sequence[int], weights: Sequence[int]) -> None:
        """Make the flow table, the bands and the counters, all empty."""
        number: cython.int
        self.gc_flows = self.fast_packets = self.flow_limit_drops = self.too_long = 0
        self.horizon_drops = self.horizon_caps = self.throttlings = 0
        self.row_count = 0
        self.orders = 0
        self.band = 0
        self.flows = self.inactive = self.throttled = 0
        self.next_delayed = FAR
        self.armed = NEVER
        if not cython.compiled:
            self.table: list[int] = [NIL] * self.buckets
            self.rows: list[FqFlow] = []
            self.delayed: list[int] = []
            self.bands = [0] * 16
            self.held = [0] * BANDS
            self.lost_in_band = [0] * BANDS
            self.new_head, self.new_tail = [NIL] * BANDS, [NIL] * BANDS
            self.old_head, self.old_tail = [NIL] * BANDS, [NIL] * BANDS
            self.weights, self.credits = [0] * BANDS, [0] * BANDS
        else:
            self.table = cython.cast(
                cython.pointer[cython.int], calloc(self.buckets, cython.sizeof(cython.int))
            )
            if not self.table:
                raise MemoryError
        self.free_row = NIL
        if not self.grow(64):
            raise MemoryError
        for number in range(16):
            self.bands[number] = priomap[number]
        for number in range(BANDS):
            self.weights[number] = weights[number]
            self.credits[number] = 0
            self.lost_in_band[number] = 0
        self.do_reset()

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.rows)
            free(self.table)
            free(self.delayed)

    def grow(self, size: cython.int) -> cython.int:
        """Make `size` flows of what there are; return 0 if there is no memory."""
        row: cython.int
        if not cython.compiled:
            self.rows.extend(FqFlow() for _ in range(size - self.row_count))
            self.delayed.extend([0] * (size - self.row_count))
        else:
            rows: cython.pointer[FqFlow] = cython.cast(
                cython.pointer[FqFlow],
                realloc(self.rows, cython.cast(cython.size_t, size) * cython.sizeof(FqFlow)),
            )
            if not rows:
                return 0
            self.rows = rows
            delayed: cython.pointer[cython.int] = cython.cast(
                cython.pointer[cython.int],
                realloc(self.delayed, cython.cast(cython.size_t, size) * cython.sizeof(cython.int)),
            )
            if not delayed:
                return 0
            self.delayed = delayed
        for row in range(size - 1, self.row_count - 1, -1):
            self.rows[row].qlen = 0
            self.rows[row].rate = UNLIMITED
            self.rows[row].due = 0
            self.rows[row].state = DETACHED
            self.rows[row].next = self.free_row
            self.free_row = row
        self.row_count = size
        return 1

    def key_of(self, packet: cython.int) -> cython.ulonglong:
        """Return what tells a packet's flow from others: its socket, or bits of its hash."""
        rows: cython.pointer[Packet] = self.pool.rows
        key: cython.ulonglong
        if rows[packet].flags & LOCAL:
            key = rows[packet].owner
            return key << 1
        key = rows[packet].flow_hash & self.orphan_mask
        return key << 1 | 1

    def find(self, key: cython.ulonglong) -> cython.int:
        """Return the flow with this key, or NIL."""
        flow: cython.int = self.table[(key >> 1) & (self.buckets - 1)]
        while flow != NIL and self.rows[flow].key != key:
            flow = self.rows[flow].chain
        return flow

    def classify(self, key: cython.ulonglong, now: cython.longlong) -> cython.int:
        """Return the flow with this key, new if need be; NIL if there is no memory."""
        bucket: cython.int = (key >> 1) & (self.buckets - 1)
        flow: cython.int
        self.collect(bucket, key, now)
        flow = self.find(key)
        if flow != NIL:
            return flow
        if self.free_row == NIL and not self.grow(self.row_count * 2):
            return NIL
        flow = self.free_row
        self.free_row = self.rows[flow].next
        self.rows[flow].head = NIL
        self.rows[flow].tail = NIL
        self.rows[flow].next = NIL
        self.rows[flow].qlen = 0
        self.rows[flow].credit = self.initial_quantum
        self.rows[flow].state = DETACHED
        self.rows[flow].band = 0
        self.rows[flow].key = key
        self.rows[flow].rate = UNLIMITED
        self.rows[flow].due = 0
        self.rows[flow].age = now // self.jiffy | 1
        self.rows[flow].chain = self.table[bucket]
        self.table[bucket] = flow
        self.flows += 1
        self.inactive += 1
        return flow

    def collect(
        self, bucket: cython.int, key: cython.ulonglong, now: cython.longlong
    ) -> cython.void:
        """Forget flows of a bucket that have been idle for seconds (fq_gc())."""
        before: cython.int = NIL
        flow: cython.int = self.table[bucket]
        after: cython.int
        oldest: cython.longlong = (now // self.jiffy) - GC_AGE * SECOND // self.jiffy
        while flow != NIL:
            after = self.rows[flow].chain
            if (
                self.rows[flow].state == DETACHED
                and self.rows[flow].age < oldest
                and self.rows[flow].key != key
            ):
                if before == NIL:
                    self.table[bucket] = after
                else:
                    self.rows[before].chain = after
                self.rows[flow].next = self.free_row
                self.free_row = flow
                self.flows -= 1
                self.inactive -= 1
                self.gc_flows += 1
            else:
                before = flow
            flow = after

    def may_be_fast(self, flow: cython.int, now: cython.longlong) -> cython.bint:
        """Say whether a packet may pass every flow by (fq_fastpath_check())."""
        if self.qlen:
            if self.flows != self.inactive + self.throttled:
                return False
            if self.rows[INTERNAL].qlen >= FAST_PACKETS:
                return False
            if self.next_delayed <= now:
                return False
        if flow != NIL and self.rows[flow].rate != UNLIMITED:
            return False
        return self.flow_max_rate == UNLIMITED

    def refuse(self, packet: cython.int, reason: cython.int) -> cython.int:
        """Drop a packet that has come."""
        self.drop_before(packet, reason)
        return DROP

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Sort a packet into its flow, by its departure time."""
        rows: cython.pointer[Packet] = self.pool.rows
        band: cython.int = self.bands[rows[packet].priority & 15]
        due: cython.longlong = rows[packet].departure_time
        key: cython.ulonglong = self.key_of(packet)
        flow: cython.int
        self.note_received(packet)
        if self.held[band] >= self.limit:
            self.lost_in_band[band] += 1
            return self.refuse(packet, BAND_LIMIT)
        if due == 0:
            due = now
        elif due > now + self.horizon:
            if self.horizon_drop:
                self.horizon_drops += 1
                return self.refuse(packet, HORIZON_LIMIT)
            self.horizon_caps += 1
            due = now + self.horizon
            rows[packet].departure_time = due
        rows[packet].due = due
        rows[packet].enqueue_time = now
        if due <= now and self.may_be_fast(self.find(key), now):
            flow = INTERNAL
            self.fast_packets += 1
        else:
            flow = self.classify(key, now)
            if flow == NIL or self.rows[flow].qlen >= self.flow_limit:
                self.flow_limit_drops += 1
                return self.refuse(packet, FLOW_LIMIT)
            if self.rows[flow].state == DETACHED:
                self.list_new(flow)  # of the band that its last packet had, not this one's
                if (
                    now // self.jiffy
                    > self.rows[flow].age + (self.refill_delay + self.jiffy - 1) // self.jiffy
                    and self.rows[flow].credit < self.quantum
                ):
                    self.rows[flow].credit = self.quantum
            self.rows[flow].band = band
            self.held[band] += 1
            if self.rows[flow].qlen == 0:
                self.inactive -= 1
        self.insert(flow, packet)
        if (
            due < self.rows[flow].due
            and rows[packet].departure_time
            and self.rows[flow].state == THROTTLED
            and self.flow_max_rate == UNLIMITED
        ):
            self.advance(flow, due, now)
        self.note_enqueued(packet)
        return OK

    def advance(self, flow: cython.int, due: cython.longlong, now: cython.longlong) -> cython.void:
        """Let a throttled flow's time come earlier (fq_flow_adjust_timer())."""
        earliest: cython.bint = self.next_delayed == self.rows[flow].due
        self.remove_delayed(flow)
        self.rows[flow].due = due
        if due > now:
            self.push_delayed(flow)
            return
        self.list_old(flow)
        if earliest:
            self.next_delayed = self.rows[self.delayed[0]].due if self.throttled else FAR

    def insert(self, flow: cython.int, packet: cython.int) -> cython.void:
        """Put a packet behind those of its flow that leave no later."""
        rows: cython.pointer[Packet] = self.pool.rows
        before: cython.int = self.rows[flow].tail
        self.rows[flow].qlen += 1
        rows[packet].next = NIL
        if before != NIL and rows[before].due > rows[packet].due:
            before = self.rows[flow].head
            if rows[before].due > rows[packet].due:
                rows[packet].next = before
                self.rows[flow].head = packet
                return
            while rows[rows[before].next].due <= rows[packet].due:
                before = rows[before].next
            rows[packet].next = rows[before].next
            rows[before].next = packet
            return
        if before == NIL:
            self.rows[flow].head = packet
        else:
            rows[before].next = packet
        self.rows[flow].tail = packet

    def unlink(self, flow: cython.int) -> cython.int:
        """Take the first packet off a flow, uncounted by the qdisc."""
        packet: cython.int = self.rows[flow].head
        self.rows[flow].head = self.pool.rows[packet].next
        if self.rows[flow].head == NIL:
            self.rows[flow].tail = NIL
        self.pool.rows[packet].next = NIL
        self.rows[flow].qlen -= 1
        return packet

    def list_new(self, flow: cython.int) -> cython.void:
        """Append a flow to the new ones of its band."""
        band: cython.int = self.rows[flow].band
        self.rows[flow].state = LISTED
        self.rows[flow].next = NIL
        if self.new_head[band] == NIL:
            self.new_head[band] = flow
        else:
            self.rows[self.new_tail[band]].next = flow
        self.new_tail[band] = flow

    def list_old(self, flow: cython.int) -> cython.void:
        """Append a flow to the old ones of its band."""
        band: cython.int = self.rows[flow].band
        self.rows[flow].state = LISTED
        self.rows[flow].next = NIL
        if self.old_head[band] == NIL:
            self.old_head[band] = flow
        else:
            self.rows[self.old_tail[band]].next = flow
        self.old_tail[band] = flow

    def select(self) -> cython.int:
        """Return the flow whose turn it is in the current band; NIL if the band has no turn."""
        if self.credits[self.band] <= 0:
            return NIL
        if self.new_head[self.band] != NIL:
            return self.new_head[self.band]
        return self.old_head[self.band]

    def next_flow(self) -> cython.int:
        """Return the flow whose turn it is, in the first band that has a turn; or NIL."""
        flow: cython.int = self.select()
        tries: cython.int = 0
        while flow == NIL:
            tries += 1
            if tries > BANDS:
                return NIL
            self.band = self.band + 1 if self.band + 1 < BANDS else 0
            self.credits[self.band] += self.weights[self.band]
            if self.credits[self.band] > self.weights[self.band]:
                self.credits[self.band] = self.weights[self.band]
            if self.credits[self.band] > 0:
                flow = self.select()
            else:
                tries = 0
        return flow

    def leave(self) -> cython.void:
        """Take the flow whose turn it is off its list."""
        if self.new_head[self.band] != NIL:
            self.new_head[self.band] = self.rows[self.new_head[self.band]].next
        else:
            self.old_head[self.band] = self.rows[self.old_head[self.band]].next

    def earlier(self, one: cython.int, other: cython.int) -> cython.bint:
        """Say whether a throttled flow's time comes before another's."""
        rows: cython.pointer[FqFlow] = self.rows
        if rows[one].due != rows[other].due:
            return rows[one].due < rows[other].due
        return rows[one].order < rows[other].order

    def throttle(self, flow: cython.int, due: cython.longlong) -> cython.void:
        """Let a flow wait until its time."""
        self.rows[flow].due = due
        self.throttlings += 1
        self.push_delayed(flow)

    def push_delayed(self, flow: cython.int) -> cython.void:
        """Add a flow to the heap of those that wait."""
        self.rows[flow].state = THROTTLED
        self.rows[flow].order = self.orders
        self.orders += 1
        self.throttled += 1
        if self.next_delayed > self.rows[flow].due:
            self.next_delayed = self.rows[flow].due
        self.sift_up(self.throttled - 1, flow)

    def sift_up(self, place: cython.int, flow: cython.int) -> cython.void:
        """Put a flow where it belongs in the heap, from `place` towards the root."""
        above: cython.int
        while place > 0:
            above = (place - 1) >> 1
            if self.earlier(self.delayed[above], flow):
                break
            self.delayed[place] = self.delayed[above]
            place = above
        self.delayed[place] = flow

    def sift_down(self, place: cython.int, flow: cython.int) -> cython.void:
        """Put a flow where it belongs in the heap, from `place` away from the root."""
        below: cython.int = 2 * place + 1
        while below < self.throttled:
            if below + 1 < self.throttled and self.earlier(
                self.delayed[below + 1], self.delayed[below]
            ):
                below += 1
            if self.earlier(flow, self.delayed[below]):
                break
            self.delayed[place] = self.delayed[below]
            place = below
            below = 2 * place + 1
        self.delayed[place] = flow

    def remove_delayed(self, flow: cython.int) -> cython.void:
        """Take a flow out of the heap."""
        place: cython.int = 0
        last: cython.int
        while self.delayed[place] != flow:
            place += 1
        self.throttled -= 1
        last = self.delayed[self.throttled]
        if last == flow:
            return
        if place > 0 and self.earlier(last, self.delayed[(place - 1) >> 1]):
            self.sift_up(place, last)
        else:
            self.sift_down(place, last)

    def pop_delayed(self) -> cython.int:
        """Take the flow whose time comes first off the heap."""
        first: cython.int = self.delayed[0]
        self.remove_delayed(first)
        return first

    def release(self, now: cython.longlong) -> cython.void:
        """Let flows whose time has come take turns again (fq_check_throttled())."""
        if self.next_delayed > now:
            return
        self.next_delayed = FAR
        while self.throttled:
            if self.rows[self.delayed[0]].due > now:
                self.next_delayed = self.rows[self.delayed[0]].due
                break
            self.list_old(self.pop_delayed())

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give a packet of the fast path, or of the flow whose turn it is."""
        packet: cython.int = self.parked
        if packet != NIL:
            return self.take_parked(now)
        if self.qlen == 0:
            return NIL
        if self.rows[INTERNAL].head != NIL:
            packet = self.unlink(INTERNAL)
        else:
            self.release(now)
            packet = self.serve(now)
            if packet == NIL:
                self.arm(now)
                return NIL
        self.note_dequeued(packet)
        return packet

    def serve(self, now: cython.longlong) -> cython.int:
        """Give a packet of the flow whose turn it is; NIL if none may leave yet."""
        flow: cython.int = self.next_flow()
        packet: cython.int
        due: cython.longlong
        while flow != NIL:
            if self.rows[flow].credit <= 0:
                self.rows[flow].credit += self.quantum
                self.leave()
                self.list_old(flow)
            elif self.rows[flow].head == NIL:
                self.retire(flow, now)
            else:
                packet = self.rows[flow].head
                due = self.pool.rows[packet].due
                if due < self.rows[flow].due:
                    due = self.rows[flow].due
                if due <= now:
                    break
                self.leave()
                self.throttle(flow, due)
            flow = self.next_flow()
        if flow == NIL:
            return NIL
        if self.ce_threshold >= 0 and now - due > self.ce_threshold:
            self.mark(packet)
        self.unlink(flow)
        if self.rows[flow].qlen == 0:
            self.inactive += 1
        self.held[self.bands[self.pool.rows[packet].priority & 15]] -= 1
        self.rows[flow].credit -= self.pool.rows[packet].length
        self.credits[self.band] -= self.pool.rows[packet].length
        if self.pacing:
            self.pace_flow(flow, packet, now)
        return packet

    def retire(self, flow: cython.int, now: cython.longlong) -> cython.void:
        """Take an empty flow off its list: new ones become old once, old ones are detached."""
        fresh: cython.bint = self.new_head[self.band] != NIL
        self.leave()
        if fresh:
            self.list_old(flow)
        else:
            self.rows[flow].state = DETACHED
            self.rows[flow].age = now // self.jiffy | 1

    def pace_flow(self, flow: cython.int, packet: cython.int, now: cython.longlong) -> cython.void:
        """Note when the flow's next packet may leave, by its rate."""
        rate: cython.longlong = self.flow_max_rate
        length: cython.longlong = self.pool.rows[packet].length
        gap: cython.longlong
        late: cython.longlong
        if self.pool.rows[packet].departure_time == 0:
            if self.rows[flow].rate < rate:
                rate = self.rows[flow].rate
            if rate <= self.low_rate_threshold:
                self.rows[flow].credit = 0
            else:
                if length < self.quantum:
                    length = self.quantum
                if self.rows[flow].credit > 0:
                    return
        if rate == UNLIMITED:
            return
        gap = length * SECOND
        if rate > 0:
            gap = gap // rate
        if gap > SECOND:
            gap = SECOND
            self.too_long += 1
        late = now - self.rows[flow].due
        if self.rows[flow].due and late > 0:
            gap -= late if late < gap // 2 else gap // 2
        self.rows[flow].due = now + gap

    def arm(self, now: cython.longlong) -> cython.void:
        """Arm the timer for the first flow that waits, unless it is already armed well enough."""
        if self.next_delayed == FAR:
            return
        if self.armed + self.timer_slack > now and (
            self.next_delayed <= self.armed <= self.next_delayed + self.timer_slack
        ):
            return
        self.armed = self.next_delayed
        self.wakeup = self.armed + self.timer_slack

    def mark(self, packet: cython.int) -> cython.void:
        """Set CE where ECN allows it; the kernel counts it in any case."""
        rows: cython.pointer[Packet] = self.pool.rows
        self.marks += 1
        if rows[packet].protocol != IPV4 and rows[packet].protocol != IPV6:
            return
        if (rows[packet].tos & CE) != NOT_ECT:
            rows[packet].tos = rows[packet].tos | CE

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Peek by dequeuing, as qdisc_peek_dequeued()."""
        return self.peek_dequeued(now)

    def do_reset(self) -> cython.void:
        """Purge every packet and forget every flow."""
        flow: cython.int
        number: cython.int
        if self.parked != NIL:
            self.drop_after(self.parked, QUEUE_PURGE)
            self.drops -= 1
            self.parked = NIL
        for flow in range(self.row_count):
            while self.rows[flow].qlen:
                self.drop_after(self.unlink(flow), QUEUE_PURGE)
                self.drops -= 1
        for number in range(self.buckets):
            self.table[number] = NIL
        for number in range(3):
            self.held[number] = 0
            self.new_head[number] = NIL
            self.old_head[number] = NIL
        self.free_row = NIL
        for flow in range(self.row_count - 1, INTERNAL, -1):
            self.rows[flow].next = self.free_row
            self.free_row = flow
        self.rows[INTERNAL].head = NIL
        self.rows[INTERNAL].tail = NIL
        self.flows = 0
        self.inactive = 0
        self.throttled = 0
        self.next_delayed = FAR
        self.armed = NEVER

    def pace(self, packet: int, rate: int | None) -> None:
        """Give the flow of a packet its socket's rate (SO_MAX_PACING_RATE), in bytes/s.

        Args:
            packet: any packet of the flow, queued or not.
            rate: None for no limit.
        """
        self.pool.check(packet)
        flow = self.classify(self.key_of(packet), self.pool.rows[packet].enqueue_time)
        if flow == NIL:
            raise MemoryError
        self.rows[flow].rate = UNLIMITED if rate is None else rate

    def statistics(self) -> dict[str, int]:
        """Return what `tc -s qdisc` shows, under tc's names.

        `throttled` is how often a flow had to wait, which is what tc's JSON has under that name.
        """
        found = QueueDisc.statistics(self)
        found |= {
            "flows": self.flows,
            "inactive": self.inactive,
            "throttled": self.throttlings,
            "gc": self.gc_flows,
            "fastpath": self.fast_packets,
            "flows_plimit": self.flow_limit_drops,
            "pkts_too_long": self.too_long,
            "horizon_drops": self.horizon_drops,
            "horizon_caps": self.horizon_caps,
            "ce_mark": self.marks,
        }
        for band in range(BANDS):
            found[f"band{band}_pkts"] = self.held[band]
            found[f"band{band}_drops"] = self.lost_in_band[band]
        return found
