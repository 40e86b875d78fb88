# cython: cdivision=True
"""CAKE, bit for bit as Linux 7.3 has it.

Source: net/sched/sch_cake.c of Linux 7.3.4, by way of the CAKE specification, whose section
numbers are given below.  Traces recorded from the kernel are replayed by `tcc.engine.replay`.

Tins are numbered by their internal index.  Rates are in bytes/s and times in ns, as in
the kernel; unsigned numbers wrap at the kernel's widths.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.ref import PyObject
else:
    from tcc.engine.cake.cobalt import emptied, judge, overflowed
    from tcc.engine.cake.rows import (
        BULK,
        DECAYED,
        DECAYING,
        KEEP,
        LIVE,
        NEW,
        NONE,
        OLD,
        SLOTS,
        SPARSE,
        SPARSE_WAIT,
        TINS,
        Flow,
        FlowRow,
        Host,
        Tin,
        TinRow,
        flow_at,
    )  # fmt: skip
    from tcc.engine.constants import (
        ACK_FILTER,
        ARP,
        CN,
        DROP,
        GSO_SPLIT,
        IPV4,
        IPV6,
        NIL,
        OK,
        OVERLIMIT,
        QDISC_DROP,
        QUEUE_PURGE,
    )  # fmt: skip
    from tcc.engine.random import draw_u16
    from tcc.engine.rows import PacketRow, packet_at

    SHARES = [0] * (SLOTS + 1)

    # Named for C in the .pxd, where they are constants.
    M32 = 0xFFFFFFFF
    M64 = 0xFFFFFFFFFFFFFFFF
    SIGN = 1 << 31
    TWO_32 = 1 << 32
    SECOND_34 = 1_000_000_000 << 34
    ONE_34 = 1 << 34

from tcc.engine.cake.ack_filter import AckFilter
from tcc.engine.cake.config import MQ_KERNELS, CakeConfig
from tcc.engine.cake.estimator import RateEstimator
from tcc.engine.cake.flows import FlowTable
from tcc.engine.cake.overflow import OverflowHeap
from tcc.engine.cake.siblings import Siblings
from tcc.engine.cake.tables import BESTEFFORT, mode_of
from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc
from tcc.engine.random import Random

for _load in range(SLOTS + 1):  # what a flow has of its host's quantum, by the host's flows
    SHARES[_load] = 65535 // max(_load, 1)


def append(
    flows: cython.pointer[Flow], flow: FlowRow, slot: cython.int, which: cython.int
) -> cython.void:
    """Put a slot at the end of one of its tin's lists."""
    last: cython.int = flows[which].previous
    flow.next = which
    flow.previous = last
    flows[last].next = slot
    flows[which].previous = slot


def unlink(flows: cython.pointer[Flow], flow: FlowRow) -> cython.void:
    """Take a slot out of the list it is in."""
    flows[flow.previous].next = flow.next
    flows[flow.next].previous = flow.previous


def first_flow(flows: cython.pointer[Flow], first: cython.bint) -> cython.int:
    """Return the slot to serve next, NIL if no flow of the tin is in a list.

    Decaying flows are looked at once in a call of dequeue, and when there is nothing else.
    """
    slot: cython.int
    if first:
        slot = flows[DECAYED].next
        if slot != DECAYED:
            return slot
    slot = flows[NEW].next
    if slot != NEW:
        return slot
    slot = flows[OLD].next
    if slot != OLD:
        return slot
    slot = flows[DECAYED].next
    return slot if slot != DECAYED else NIL


def begin_with(flows: cython.pointer[Flow], slot: cython.int) -> cython.void:
    """Let the list of old flows begin with one of them; those before it are then the last."""
    last: cython.int
    unlink(flows, flow_at(flows, OLD))
    last = flows[slot].previous
    flows[OLD].next = slot
    flows[OLD].previous = last
    flows[last].next = OLD
    flows[slot].previous = OLD


class Cake(QueueDisc):
    """One CAKE instance.

    Args:
        pool: where its packets are.
        chance: dithers quanta and rolls BLUE's dice.
        config: how it is set up.
        handle: of the qdisc; its upper 16 bits let a packet's priority choose a tin.
        mtu: of the device, link-layer header included.
        siblings: the cake_mq it is a child of.
        segment_truesize: memory that a segment of a split super-packet takes beside its bytes.
    """

    def __init__(
        self,
        pool: PacketPool,
        chance: Random,
        config: CakeConfig,
        handle: int = 0x10000,
        mtu: int = 1514,
        siblings: Siblings | None = None,
        segment_truesize: int = 768,
    ) -> None:
        QueueDisc.__init__(self, pool)
        self.chance = chance
        self.filter = AckFilter(pool)
        self.child = siblings is not None
        self.siblings = Siblings() if siblings is None else siblings
        self.handle = handle
        self.mtu = mtu
        self.segment_truesize = segment_truesize
        self.table = FlowTable()
        self.flows = self.table.flows
        self.hosts = self.table.hosts
        self.heap = OverflowHeap(self.table)
        self.heap_live = 0
        if not cython.compiled:
            self.tins = [Tin() for _ in range(TINS)]
            self.index_of_dscp = [0] * 64
            self.order = [0] * TINS
            self.shifts = [0] * TINS
        self.tnext = 0
        self.failsafe = 0
        self.current = 0  # where clearing unused tins does not leave it at the last one
        self.used = 0
        self.most_used = 0
        self.last_active = 0
        self.last_check = 0
        self.active_queues = 0
        self.average_offset = 0
        self.super_packets = 0
        self.segments = 0
        self.purge_visits = 0
        self.scans = 0
        self.empty_visits = 0
        self.rotations = 0
        self.forget_lengths()
        self.estimator = RateEstimator(0 if self.child else config.rate)
        self.change(config)

    # ------------------------------------------------------------ configuration (3.2, 3.3)

    def change(self, config: CakeConfig, reset_lengths: bool = False) -> None:
        """Take a new configuration, with packets queued or not.

        Packets in tins that it does not have are purged.

        Args:
            config: the whole of it; `config.merge` makes one from a change's attributes.
            reset_lengths: forget the longest and shortest packet (`config.resets_lengths`).

        Raises:
            ValueError: autorate in a child of cake_mq, which the kernel refuses.
        """
        if config.autorate and self.child:
            raise ValueError("cake_mq cannot use autorate-ingress")
        mode = mode_of(config.tins)
        self.config = config
        self.rate = config.rate
        self.flow_mode = config.flow_mode
        self.sources = config.flow_mode & 5 == 5
        self.destinations = config.flow_mode & 6 == 6
        self.table.sources = self.sources
        self.table.destinations = self.destinations
        self.nat = config.nat
        self.besteffort = config.tins == BESTEFFORT
        self.wash = config.wash
        self.ingress = config.ingress
        self.autorate = config.autorate
        self.network_size = config.network_size
        self.split_gso = config.split_gso
        self.split_up_to = config.split_up_to
        self.split_above = config.split_above
        self.overhead = config.overhead
        self.mpu = config.mpu
        self.cells = config.cells
        self.ack_filter = config.ack_filter
        self.fwmark = config.fwmark
        self.fwmark_shift = (
            (config.fwmark & -config.fwmark).bit_length() - 1 if config.fwmark else 0
        )
        self.target = config.target * 1000
        self.interval = config.interval * 1000
        self.memory = config.memory
        self.mq_kernel = MQ_KERNELS.index(config.mq_kernel)
        self.tin_count = len(mode.order)
        self.eighths = not mode.shifts
        for dscp, index in enumerate(mode.index):
            self.index_of_dscp[dscp] = index
        for place, index in enumerate(mode.order):
            self.order[place] = index
        for place, shift in enumerate(mode.shifts):
            self.shifts[place] = shift
        for place, quantum in enumerate(mode.quanta):
            self.tins[place].quantum = quantum
        self.known_size = 0
        if reset_lengths:
            self.forget_lengths()
        self.configure(self.rate, False)

    @property
    def peak_rate(self) -> int:
        """The capacity estimate, in bytes/s."""
        return self.estimator.peak_rate

    def forget_lengths(self) -> None:
        """Start anew with the longest and shortest packet."""
        self.max_netlen = 0
        self.min_netlen = 0xFFFF
        self.max_adjlen = 0
        self.min_adjlen = 0xFFFF
        self.known_size = 0

    def configure(self, rate: cython.ulonglong, adjusting: cython.bint) -> cython.void:
        """Derive everything from the rate; only the paces if `adjusting` (cake_mq's scan)."""
        t: cython.int
        threshold: cython.ulonglong = rate
        for t in range(self.tin_count):
            if self.eighths:
                self.set_rate(t, threshold)
                threshold = ((threshold * 7) & M64) >> 3
            else:
                self.set_rate(t, rate >> self.shifts[t])
            if not adjusting:
                self.set_delays(t)
        self.ns = self.tins[0].ns
        self.shift = self.tins[0].shift
        if not adjusting:
            for t in range(self.tin_count, TINS):
                self.clear_tin(t)
                self.tins[t].mtu_time = self.tins[0].mtu_time
            self.set_limit()

    def set_rate(self, t: cython.int, rate: cython.ulonglong) -> cython.void:
        """Set a tin's pace and the quantum of its flows."""
        tin: TinRow = self.tin_at(t)
        ns: cython.ulonglong = 0
        shift: cython.int = 0
        tin.rate = rate
        tin.flow_quantum = 1514
        if rate:
            ns = rate >> 12
            tin.flow_quantum = 300 if ns < 300 else 1514 if ns > 1514 else ns
            shift = 34
            ns = SECOND_34 // (64 if rate < 64 else rate)
            while ns >= ONE_34:
                ns >>= 1
                shift -= 1
        tin.ns = ns
        tin.shift = shift

    def set_delays(self, t: cython.int) -> cython.void:
        """Set a tin's COBALT parameters from its pace."""
        tin: TinRow = self.tin_at(t)
        wide: cython.ulonglong = self.mtu
        target: cython.ulonglong
        wide = ((wide * tin.ns) & M64) >> tin.shift
        target = (wide * 3) >> 1
        tin.mtu_time = wide
        target = max(target, self.target)
        tin.target = target
        wide = self.interval + target - self.target
        tin.interval = 2 * target if wide < 2 * target else wide

    def set_limit(self) -> cython.void:
        """Set how much memory the queued packets may take."""
        limit: cython.ulonglong = M32
        most: cython.ulonglong = self.mtu
        most = (most * 10240) & M32
        if self.memory:
            limit = self.memory
        elif self.rate:
            limit = (((self.rate * (self.interval // 1000)) & M64) // 250000) & M32
            limit = max(limit, 4194304)
        most = max(most, self.memory)
        self.limit = most if most < limit else limit

    def clear_tin(self, t: cython.int) -> cython.void:
        """Purge a tin: its packets are gone without being counted as drops."""
        slot: cython.int
        packet: cython.int
        flow: FlowRow
        tin: TinRow = self.tin_at(t)
        self.current = t
        self.purge_visits += SLOTS
        if tin.sparse + tin.bulk == 0:
            return  # nothing can be queued: the walk would find every slot empty
        for slot in range(SLOTS):
            flow = flow_at(self.flows[t], slot)
            while flow.head:
                packet = flow.head - 1
                self.unqueue(tin, flow, self.packet_at(packet))
                self.drop_after(packet, QUEUE_PURGE)
                self.drops -= 1

    def busy(self, child: cython.int) -> cython.bint:
        """Say whether another child of the cake_mq has packets or sent one since the last scan."""
        if cython.compiled:
            if self.siblings.children[child] == cython.cast(cython.pointer[PyObject], self):
                return False
            return (
                cython.cast(Cake, self.siblings.children[child]).qlen > 0
                or cython.cast(Cake, self.siblings.children[child]).last_active > self.last_check
            )
        return self.siblings.children[child] is not self and (
            self.siblings.children[child].qlen > 0
            or self.siblings.children[child].last_active > self.last_check
        )

    def scan(self, now: cython.longlong) -> cython.void:
        """As a child of cake_mq, share the rate with the children that are busy (7)."""
        n: cython.ulonglong = 1
        number: cython.int
        if now - self.last_check < 200_000 or (self.ns == 0 and self.mq_kernel != 0):
            return
        for number in range(self.siblings.count):
            if self.busy(number):
                n += 1
        if self.mq_kernel == 0:  # before 15c2715a5264: only the tin served last, and from it all
            self.set_rate(self.current, self.rate // n)
            self.ns = self.tins[self.current].ns
            self.shift = self.tins[self.current].shift
        else:
            self.configure(self.rate // n, True)
            if self.mq_kernel == 1:  # before a3729e0df005: walks the unused tins each time
                for number in range(self.tin_count, TINS):
                    self.clear_tin(number)
        self.scans += 1
        self.last_check = now
        self.active_queues = n

    # ------------------------------------------------------------ classification (3.4, 4)

    def choose_tin(self, row: PacketRow) -> cython.int:
        """Return the internal index of the packet's tin; wash the packet."""
        dscp: cython.uint = 0
        chosen: cython.uint
        t: cython.int
        if row.protocol == IPV4 or row.protocol == IPV6:
            dscp = row.tos >> 2
            if self.wash:
                row.tos = row.tos & 3
        elif row.protocol == ARP:
            dscp = 0x38
        if self.besteffort:
            return 0
        chosen = (row.mark & self.fwmark) >> self.fwmark_shift
        t = chosen
        if 0 < t <= self.tin_count:
            return self.order[t - 1]
        if row.priority >> 16 == self.handle >> 16:
            t = row.priority & 0xFFFF
            if 0 < t <= self.tin_count:
                return self.order[t - 1]
        t = self.index_of_dscp[dscp]
        return t if t < self.tin_count else 0

    def choose_slot(self, t: cython.int, row: PacketRow) -> cython.int:
        """Return the slot of the packet's flow, in tin `t`."""
        source: cython.uint = row.source_hash
        destination: cython.uint = row.destination_hash
        hash: cython.uint = row.flow_hash
        chosen: cython.uint
        slot: cython.int
        if self.flow_mode & 4 == 0:
            if self.flow_mode == 0 and not self.nat:
                return 0
            hash = 0
        if row.classid:
            chosen = row.classid & 0xFFFF
            if 0 < chosen <= SLOTS:
                hash = chosen - 1
            chosen = row.classid >> 16
            if 0 < chosen <= SLOTS:
                source = chosen - 1
                destination = chosen - 1
        if self.flow_mode & 4 == 0:
            if self.flow_mode & 1:
                hash ^= source
            if self.flow_mode & 2:
                hash ^= destination
        slot = hash & (SLOTS - 1)
        if self.flows[t][slot].tag == hash and self.flows[t][slot].state != NONE:
            return slot
        return self.table.find(self.tin_at(t), t, hash, source, destination)

    def quantum(self, hosts: cython.pointer[Host], tin: TinRow, flow: FlowRow) -> cython.int:
        """Return a flow's quantum: its share of what its busier host has, dithered (4.3)."""
        load: cython.int = 0
        bulk: cython.int
        if self.sources:
            load = hosts[flow.source].source_bulk
        if self.destinations:
            bulk = hosts[flow.destination].destination_bulk
            if bulk > load:
                load = bulk
        return (tin.flow_quantum * SHARES[load] + draw_u16(self.chance)) >> 16

    def packet_at(self, packet: cython.int) -> PacketRow:
        """Return a packet's row; until the pool grows."""
        return packet_at(self.pool.rows, packet)

    def tin_at(self, t: cython.int) -> TinRow:
        """Return a tin's row."""
        if cython.compiled:
            return cython.address(self.tins[t])
        return self.tins[t]

    def adjust(self, length: cython.uint, offset: cython.uint) -> cython.uint:
        """Return the size of a packet on the wire (5.3)."""
        wide: cython.longlong
        size: cython.uint = length
        if self.network_size:
            size = (size - offset) & M32
        if self.max_netlen < size:
            self.max_netlen = size & 0xFFFF
        if self.min_netlen > size:
            self.min_netlen = size & 0xFFFF
        wide = size
        if wide >= SIGN:
            wide -= TWO_32
        wide += self.overhead
        size = self.mpu if wide < self.mpu else wide
        if self.cells == 1:
            size = (size + 47) // 48 * 53
        elif self.cells == 2:
            size += (size + 63) // 64
        if self.max_adjlen < size:
            self.max_adjlen = size & 0xFFFF
        if self.min_adjlen > size:
            self.min_adjlen = size & 0xFFFF
        self.known_length = length
        self.known_offset = offset
        self.known_size = size
        return size

    def measure(self, row: PacketRow) -> cython.void:
        """Write down what a packet, or every segment of a super-packet, takes on the wire."""
        offset: cython.uint = row.network_offset
        extra: cython.uint
        each: cython.uint
        last: cython.uint
        self.average_offset += (offset << 8) - (self.average_offset >> 8)
        if row.gso_segs > 1:
            extra = row.gso_segs - 1
            last = (row.length - extra * (row.header_length + row.gso_size)) & M32
            each = self.adjust(row.gso_size + row.header_length, offset)
            row.adjusted = (extra * each + self.adjust(last, offset)) & M32
        elif self.known_size and row.length == self.known_length and offset == self.known_offset:
            row.adjusted = self.known_size  # as the packet before: the extremes stay, too
        else:
            row.adjusted = self.adjust(row.length, offset)

    # ------------------------------------------------------------ enqueue (5)

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Take a packet at `now` (ns)."""
        row: PacketRow = self.packet_at(packet)
        t: cython.int = self.choose_tin(row)
        slot: cython.int = self.choose_slot(t, row)
        tin: TinRow = self.tin_at(t)
        flow: FlowRow = flow_at(self.flows[t], slot)
        change: cython.longlong = row.length
        if tin.backlog == 0:
            self.refresh(tin, now)
        if row.length > tin.max_length:
            tin.max_length = row.length
        if row.gso_segs > 1 and self.splits(row):
            change = self.add_segments(tin, flow, packet, now)
            if change < 0:
                return DROP
        else:
            self.add(tin, flow, packet, row, now)
            tin.bytes += row.length
            if self.ack_filter:
                change -= self.filter_acks(tin, flow, packet, now)
        if self.heap_live:
            self.heap.sift_up(flow.place)
        if not self.autorate:
            self.estimator.window_bytes = 0
            self.estimator.last_packet = now
        elif self.estimator.note(change, now):
            self.rate = ((self.estimator.peak_rate * 15) & M64) >> 4
            self.configure(self.rate, False)
        if flow.state != BULK and flow.state != SPARSE:
            self.activate(t, tin, flow, slot)
        if self.used > self.most_used:
            self.most_used = self.used
        if self.used <= self.limit:
            return OK
        return CN if self.relieve(t * SLOTS + slot, now) else OK

    def refresh(self, tin: TinRow, now: cython.longlong) -> cython.void:
        """Start the clocks anew where nothing is queued (5.2, step 2)."""
        if tin.tnext < now:
            tin.tnext = now
        if self.qlen == 0:
            if self.tnext < now:
                self.tnext = now
                self.failsafe = now
            elif self.tnext > now and self.failsafe > now:
                self.overlimits += 1
                self.wakeup = self.failsafe if self.failsafe < self.tnext else self.tnext

    def splits(self, row: PacketRow) -> cython.bint:
        """Say whether a super-packet is to be split."""
        if not self.split_gso:
            return False
        if self.split_up_to and not 0 < self.rate <= self.split_up_to:
            return False
        return row.length > self.split_above

    def add(
        self, tin: TinRow, flow: FlowRow, packet: cython.int, row: PacketRow, now: cython.longlong
    ) -> cython.void:
        """Put a packet at the tail of its flow."""
        length: cython.uint = row.length
        row.enqueue_time = now
        row.next = NIL
        self.measure(row)
        if flow.head == 0:
            flow.head = packet + 1
        else:
            self.pool.rows[flow.tail].next = packet
        flow.tail = packet
        flow.backlog += length
        tin.backlog += length
        tin.packets = (tin.packets + 1) & M32
        self.used += row.truesize
        self.received += 1
        self.received_bytes += length
        self.enqueued += 1
        self.enqueued_bytes += length
        self.qlen += 1
        self.backlog += length

    def filter_acks(
        self, tin: TinRow, flow: FlowRow, packet: cython.int, now: cython.longlong
    ) -> cython.uint:
        """Drop the ACK that a packet makes superfluous; return its length, 0 if there is none."""
        ack: cython.int = self.filter.find(flow.head - 1, packet, self.ack_filter == 2)
        row: PacketRow
        if ack == NIL:
            return 0
        row = self.packet_at(ack)
        if self.filter.before == NIL:
            flow.head = row.next + 1
        else:
            self.pool.rows[self.filter.before].next = row.next
        flow.backlog -= row.length
        tin.backlog -= row.length
        tin.ack_drops += 1
        self.used -= row.truesize
        if self.ingress:
            self.charge(tin, row.adjusted, True, now)
        self.drop_after(ack, ACK_FILTER)
        return row.length

    def add_segments(
        self, tin: TinRow, flow: FlowRow, packet: cython.int, now: cython.longlong
    ) -> cython.longlong:
        """Queue the segments of a super-packet in its place.

        Return their bytes, -1 if it cannot be split and is dropped.
        """
        row: PacketRow = self.packet_at(packet)
        count: cython.int = row.gso_segs
        header: cython.uint = row.header_length
        size: cython.uint = row.gso_size
        left: cython.longlong = row.length
        sum: cython.uint = 0
        length: cython.uint
        segment: cython.int
        number: cython.int
        left -= count * header
        if size == 0 or left <= (count - 1) * size or left > count * size:
            self.note_received(packet)
            self.drop_before(packet, QDISC_DROP)
            return -1
        for number in range(count):
            segment = self.pool.copy(packet)
            if segment == NIL:
                break
            row = self.packet_at(segment)
            length = size
            if left < size:
                length = left
            left -= length
            row.payload = length
            length += header
            row.id = row.id * 1000 + number
            row.length = length
            row.gso_size = 0
            row.gso_segs = 1
            row.truesize = self.segment_truesize + length
            row.sequence += number * size
            self.add(tin, flow, segment, row, now)
            sum += length
        tin.bytes += sum
        self.super_packets += 1
        self.segments += count
        self.pool.dropped(packet, GSO_SPLIT)
        return sum

    def activate(self, t: cython.int, tin: TinRow, flow: FlowRow, slot: cython.int) -> cython.void:
        """Put the flow of a packet that has come where it belongs (5.2, step 7)."""
        if flow.state == SPARSE_WAIT:
            flow.state = BULK
            tin.sparse -= 1
            tin.bulk += 1
            self.table.enter_bulk(t, flow)
        else:
            if flow.state == DECAYING:
                unlink(self.flows[t], flow)
                tin.decaying -= 1
            append(self.flows[t], flow, slot, NEW)
            flow.state = SPARSE
            tin.sparse += 1
            flow.deficit = self.quantum(self.hosts[t], tin, flow)

    def relieve(self, own: cython.int, now: cython.longlong) -> cython.bint:
        """Drop until the memory limit is kept; say whether flow `own` lost a packet (5.6)."""
        hit: cython.bint = False
        f: cython.int
        while self.used > self.limit:
            f = self.drop_longest(now)
            if f == NIL:
                break
            if f == own:
                hit = True
        return hit

    def drop_longest(self, now: cython.longlong) -> cython.int:
        """Drop the first packet of what the heap takes for the longest flow; return the flow."""
        fresh: cython.bint = self.heap_live == 0
        f: cython.int = self.heap.rebuild() if fresh else self.heap.longest()
        packet: cython.int
        flow: FlowRow
        tin: TinRow
        row: PacketRow
        if f == NIL:
            return NIL
        if fresh:
            self.heap_live = LIVE
        flow = flow_at(self.flows[f // SLOTS], f % SLOTS)
        if flow.head == 0:
            self.heap_live = 0
            # Where every queued packet has no bytes the kernel would go round for ever.
            return NIL if fresh else f
        tin = self.tin_at(f // SLOTS)
        if overflowed(tin, flow, now):
            tin.unresponsive += 1
        packet = flow.head - 1
        row = self.packet_at(packet)
        flow.head = row.next + 1
        flow.backlog -= row.length
        flow.dropped += 1
        tin.backlog -= row.length
        tin.dropped += 1
        self.used -= row.truesize
        if self.ingress:
            self.charge(tin, row.adjusted, True, now)
        self.drop_after(packet, OVERLIMIT)
        self.heap.sift_down(0)
        return f

    # ------------------------------------------------------------ dequeue (6)

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give the next packet that may leave at `now` (ns)."""
        if self.parked != NIL:
            return self.take_parked(now)
        if self.child:
            self.scan(now)
        return self.choose(now) if self.may_send(now) else NIL

    def may_send(self, now: cython.longlong) -> cython.bint:
        """Say whether there is a packet and its time has come; if not yet, arm the timer."""
        if self.qlen == 0:
            return False
        if self.tnext <= now or self.failsafe <= now:
            return True
        self.overlimits += 1
        self.wakeup = self.failsafe if self.failsafe < self.tnext else self.tnext
        return False

    def choose(self, now: cython.longlong) -> cython.int:
        """Give the packet whose turn it is, as far as the shaper allows."""
        packet: cython.int
        t: cython.int
        slot: cython.int
        first: cython.bint = True
        tin: TinRow
        flow: FlowRow
        flows: cython.pointer[Flow]
        while True:
            t = self.pick_tin(now) if self.ns else self.pick_unshaped()
            if t == NIL:
                return NIL
            self.current = t
            tin = self.tin_at(t)
            flows = self.flows[t]
            slot = first_flow(flows, first)
            while slot != NIL:
                first = False
                flow = flow_at(flows, slot)
                if flow.deficit <= 0:
                    self.rotate(t, tin, flows, flow, slot)
                elif flow.head == 0:
                    self.retire(t, tin, flows, flow, slot, now)
                    if self.ingress or tin.sparse + tin.bulk == 0:
                        break  # without a charge the choice would fall on the same tin again
                else:
                    packet = self.serve(tin, flow, now)
                    if packet != NIL:
                        return packet
                slot = first_flow(flows, False)
            if not self.may_send(now):
                return NIL

    def pick_tin(self, now: cython.longlong) -> cython.int:
        """Return the tin to serve: the highest on schedule, else the first that will be."""
        best: cython.longlong = 0
        found: cython.int = NIL
        wait: cython.longlong
        t: cython.int
        for t in range(self.tin_count - 1, -1, -1):  # the kernel's loop goes up: its last wins
            if self.tins[t].sparse + self.tins[t].bulk > 0:
                wait = self.tins[t].tnext - now
                if wait <= 0:
                    return t
                if found == NIL or wait < best:
                    best = wait
                    found = t
        return found

    def pick_unshaped(self) -> cython.int:
        """Return the tin to serve by deficit round robin, without a rate."""
        wrapped: cython.bint = False
        empty: cython.bint = True
        tin: TinRow = self.tin_at(self.current)
        while tin.deficit < 0 or tin.sparse + tin.bulk == 0:
            if tin.deficit <= 0:
                tin.deficit += tin.quantum
            if tin.sparse + tin.bulk > 0:
                empty = False
            self.current += 1
            if self.current >= self.tin_count:
                self.current = 0
                if wrapped and empty:
                    return NIL
                wrapped = True
            tin = self.tin_at(self.current)
        return self.current

    def renew(
        self, t: cython.int, tin: TinRow, hosts: cython.pointer[Host], flow: FlowRow
    ) -> cython.void:
        """Give a flow that has used up its deficit its next quantum."""
        if flow.state == SPARSE:
            if flow.head:
                flow.state = BULK
                tin.sparse -= 1
                tin.bulk += 1
                self.table.enter_bulk(t, flow)
            else:
                flow.state = SPARSE_WAIT
        flow.deficit += self.quantum(hosts, tin, flow)

    def rotate(
        self,
        t: cython.int,
        tin: TinRow,
        flows: cython.pointer[Flow],
        flow: FlowRow,
        slot: cython.int,
    ) -> cython.void:
        """Let flows that have used up their deficits wait behind the old ones.

        The first of the old ones goes behind them, and so do those after it up to one that may
        send: they keep their order, so the list just begins with that one.
        """
        hosts: cython.pointer[Host] = self.hosts[t]
        turns: cython.int = 0
        if flow.previous != OLD:
            self.renew(t, tin, hosts, flow)
            self.rotations += 1
            unlink(flows, flow)
            append(flows, flow, slot, OLD)
            return
        while flow.deficit <= 0:
            self.renew(t, tin, hosts, flow)
            turns += 1
            slot = flow.next
            if slot == OLD:
                slot = flows[OLD].next
            flow = flow_at(flows, slot)
        self.rotations += turns
        if flow.previous != OLD:
            begin_with(flows, slot)

    def unqueue(self, tin: TinRow, flow: FlowRow, row: PacketRow) -> cython.void:
        """Take a flow's first packet; the qdisc's counters are not moved."""
        flow.head = row.next + 1
        row.next = NIL
        flow.backlog -= row.length
        tin.backlog -= row.length
        self.used -= row.truesize
        if self.heap_live:
            self.heap.sift_down(flow.place)

    def serve(self, tin: TinRow, flow: FlowRow, now: cython.longlong) -> cython.int:
        """Take packets from a flow until COBALT lets one pass; the last one it must.

        Return that packet, NIL if another flow is to be chosen.
        """
        packet: cython.int
        reason: cython.int
        row: PacketRow
        while True:
            packet = flow.head - 1
            row = self.packet_at(packet)
            self.unqueue(tin, flow, row)
            reason = judge(tin, flow, row, self.ingress, now, self.chance)
            if reason == KEEP or flow.head == 0:
                self.deliver(tin, flow, row, now)
                return packet
            if self.ingress:
                self.charge(tin, row.adjusted, True, now)
                self.spend(tin, flow, row.adjusted)
            flow.dropped += 1
            tin.dropped += 1
            self.drop_after(packet, reason)
            if self.ingress:
                return NIL

    def charge(
        self, tin: TinRow, length: cython.uint, drop: cython.bint, now: cython.longlong
    ) -> cython.void:
        """Let the clocks of the tin and of the whole run on by what a packet takes (6.3)."""
        wide: cython.ulonglong = length
        own: cython.longlong
        whole: cython.longlong
        if self.ns == 0:
            return
        own = ((wide * tin.ns) & M64) >> tin.shift
        whole = ((wide * self.ns) & M64) >> self.shift
        if tin.tnext < now:
            tin.tnext += own
        elif tin.tnext < now + own:
            tin.tnext = now + own
        self.tnext += whole
        if not drop:
            self.failsafe += whole + (whole >> 1)

    def spend(self, tin: TinRow, flow: FlowRow, length: cython.uint) -> cython.void:
        """Take bytes from the deficits of a flow and of its tin, which wraps at 32 bits."""
        wide: cython.longlong = tin.deficit
        wide -= length
        if wide < -SIGN:
            wide += TWO_32
        tin.deficit = wide
        flow.deficit -= length

    def retire(
        self,
        t: cython.int,
        tin: TinRow,
        flows: cython.pointer[Flow],
        flow: FlowRow,
        slot: cython.int,
        now: cython.longlong,
    ) -> cython.void:
        """Deal with a flow that was found empty: let it decay, or forget it."""
        self.empty_visits += 1
        if (flow.count or flow.p_drop) and emptied(tin, flow, now):
            tin.unresponsive -= 1
        unlink(flows, flow)
        if flow.state == BULK:
            tin.bulk -= 1
            self.table.leave_bulk(t, flow)
        elif flow.state == DECAYING:
            tin.decaying -= 1
        else:
            tin.sparse -= 1
        flow.state = NONE
        if flow.p_drop or flow.count or now < flow.drop_next:
            append(flows, flow, slot, DECAYED)
            flow.state = DECAYING
            tin.decaying += 1

    def deliver(
        self, tin: TinRow, flow: FlowRow, row: PacketRow, now: cython.longlong
    ) -> cython.void:
        """Count a packet that leaves, charge for it, and arm the timer for the next."""
        delay: cython.longlong = now - row.enqueue_time
        t: cython.int
        self.dequeued += 1
        self.dequeued_bytes += row.length
        self.qlen -= 1
        self.backlog -= row.length
        self.last_active = now
        if tin.marked:
            tin.ecn_mark += 1
            self.marks += 1
        tin.average_delay += (delay >> 8) - (tin.average_delay >> 8)
        if delay > tin.peak_delay:
            tin.peak_delay += (delay >> 2) - (tin.peak_delay >> 2)
        else:
            tin.peak_delay += (delay >> 8) - (tin.peak_delay >> 8)
        if delay < tin.base_delay:
            tin.base_delay += (delay >> 2) - (tin.base_delay >> 2)
        else:
            tin.base_delay += (delay >> 8) - (tin.base_delay >> 8)
        self.charge(tin, row.adjusted, False, now)
        self.spend(tin, flow, row.adjusted)
        if self.qlen > 0:
            if self.tnext > now:
                self.wakeup = self.failsafe if self.failsafe < self.tnext else self.tnext
        else:
            for t in range(self.tin_count):
                if self.tins[t].decaying:
                    self.wakeup = now + self.tins[t].target
                    break
        if self.heap_live:
            self.heap_live -= 1

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Dequeue a packet and park it, as qdisc_peek_dequeued() does."""
        return self.peek_dequeued(now)

    def do_reset(self) -> cython.void:
        """Purge every packet, as cake_reset() does: clocks and flows stay as they are."""
        t: cython.int
        if self.parked != NIL:
            self.drop_after(self.parked, QUEUE_PURGE)
            self.drops -= 1
            self.parked = NIL
        for t in range(TINS):
            self.clear_tin(t)

    def tin(self, index: int) -> dict[str, int]:
        """Return the row of a tin by its internal index (see `rows.Tin`)."""
        if not 0 <= index < TINS:
            raise IndexError(f"no tin {index}")
        if cython.compiled:
            return self.tins[index]
        return {name: getattr(self.tins[index], name) for name in Tin.__slots__}

    def flow(self, index: int, slot: int) -> dict[str, int]:
        """Return the row of a flow (see `rows.Flow`)."""
        return self.table.flow(index, slot)

    def host(self, index: int, entry: int) -> dict[str, int]:
        """Return the row of a host (see `rows.Host`)."""
        return self.table.host(index, entry)

    def tin_of_position(self, position: int) -> int:
        """Return the internal index of the tin at a display position."""
        if not 0 <= position < self.tin_count:
            raise IndexError(f"no tin at {position}")
        return self.order[position]
