# cython: cdivision=True
"""CAKE, bit for bit as Linux 7.3 has it.

Source: net/sched/sch_cake.c of Linux 7.3.4, by way of the CAKE specification, whose section
numbers are given below.  Its traces, recorded from the kernel, are replayed by
`tcc.engine.replay`.

A flow `f` is a row of `flows`: tin * STRIDE + slot.  Rates are in bytes/s and times in ns, as in
the kernel; unsigned numbers wrap at the kernel's widths.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.ref import PyObject
    from cython.cimports.libc.stdlib import calloc, free, realloc
else:
    from tcc.engine.cake.rows import (
        BULK, DECAYED, DECAYING, HEAP, KEEP, LIVE, NEW, NONE, OLD, RETRY, SLOTS, SPARSE, SPARSE_WAIT,
        STRIDE, TINS, WAYS, Flow, FlowRow, Host, Tin, TinRow,
    )  # fmt: skip
    from tcc.engine.constants import (
        ACK_FILTER, ARP, CE, CN, CONGESTED, DROP, FLOOD_PROTECTION, GSO_SPLIT, IPV4, IPV6, NEVER,
        NIL, OK, OVERLIMIT, QDISC_DROP, QUEUE_PURGE,
    )  # fmt: skip
    from tcc.engine.rows import Packet, PacketRow

from tcc.engine.cake.ack_filter import AckFilter
from tcc.engine.cake.config import MQ_KERNELS, CakeConfig
from tcc.engine.cake.tables import BESTEFFORT, INVERSE_ROOTS, mode_of
from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc
from tcc.engine.random import Random

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF
SIGN = 1 << 31
TWO_32 = 1 << 32
NEARLY = 0xFEFFFFFF
SECOND_34 = 1_000_000_000 << 34
THREE_32 = 3 << 32
ONE_34 = 1 << 34


class Siblings:
    """The children of one cake_mq, which look at one another."""

    def __init__(self) -> None:
        self.count = 0
        self.kept: list[Cake] = []
        if not cython.compiled:
            self.children: list[Cake] = []

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.children)

    def add(self, child: Cake) -> None:
        """Take a child in; only cake_mq calls this."""
        if cython.compiled:
            children: cython.pointer[cython.pointer[PyObject]] = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                realloc(self.children, (self.count + 1) * cython.sizeof(cython.size_t)),
            )
            if not children:
                raise MemoryError
            children[self.count] = cython.cast(cython.pointer[PyObject], child)
            self.children = children
        else:
            self.children.append(child)
        self.kept.append(child)
        self.count += 1


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
        self.siblings = siblings
        self.handle = handle
        self.mtu = mtu
        self.segment_truesize = segment_truesize
        self.make_tables()
        self.tnext = 0
        self.failsafe = 0
        self.current = TINS - 1  # creation leaves it at the last tin
        self.used = 0
        self.most_used = 0
        self.last_active = 0
        self.last_check = 0
        self.active_queues = 0
        self.heap_timeout = 0
        self.marked = 0
        self.average_offset = 0
        self.super_packets = 0
        self.segments = 0
        self.purge_visits = 0
        self.scans = 0
        self.empty_visits = 0
        self.rotations = 0
        self.window_bytes = 0
        self.average_gap = 0
        self.window_begin = 0
        self.last_packet = 0
        self.last_reconfigure = 0
        self.forget_lengths()
        self.peak_rate = 0
        if siblings is None:
            self.peak_rate = config.rate
        self.change(config)

    def make_tables(self) -> None:
        """Make flows, hosts, tins and the constants that C code reads."""
        number: cython.int
        if cython.compiled:
            self.flows = cython.cast(cython.pointer[Flow], calloc(TINS * STRIDE, cython.sizeof(Flow)))
            self.hosts = cython.cast(cython.pointer[Host], calloc(TINS * SLOTS, cython.sizeof(Host)))
            if not self.flows or not self.hosts:
                raise MemoryError
        else:
            self.flows = [Flow() for _ in range(TINS * STRIDE)]
            self.hosts = [Host() for _ in range(TINS * SLOTS)]
            self.tins = [Tin() for _ in range(TINS)]
            self.heap: list[int] = []
            self.index_of_dscp = [0] * 64
            self.order = [0] * TINS
            self.shifts = [0] * TINS
            self.roots = [0] * 16
        for number in range(16):
            self.roots[number] = INVERSE_ROOTS[number]
        for number in range(TINS):
            self.flows[number * STRIDE + NEW].next = NEW
            self.flows[number * STRIDE + NEW].previous = NEW
            self.flows[number * STRIDE + OLD].next = OLD
            self.flows[number * STRIDE + OLD].previous = OLD
            self.flows[number * STRIDE + DECAYED].next = DECAYED
            self.flows[number * STRIDE + DECAYED].previous = DECAYED

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.flows)
            free(self.hosts)
            free(self.heap)

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
        if config.autorate and self.siblings is not None:
            raise ValueError("cake_mq cannot use autorate-ingress")
        mode = mode_of(config.tins)
        self.config = config
        self.rate = config.rate
        self.flow_mode = config.flow_mode
        self.sources = config.flow_mode & 5 == 5
        self.destinations = config.flow_mode & 6 == 6
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
        self.fwmark_shift = (config.fwmark & -config.fwmark).bit_length() - 1 if config.fwmark else 0
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
        if reset_lengths:
            self.forget_lengths()
        self.configure(self.rate, False)

    def forget_lengths(self) -> None:
        """Start anew with the longest and shortest packet."""
        self.max_netlen = 0
        self.min_netlen = 0xFFFF
        self.max_adjlen = 0
        self.min_adjlen = 0xFFFF

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
        if target < self.target:
            target = self.target
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
            if limit < 4194304:
                limit = 4194304
        if most < self.memory:
            most = self.memory
        self.limit = most if most < limit else limit

    def clear_tin(self, t: cython.int) -> cython.void:
        """Purge a tin: its packets are gone without being counted as drops."""
        f: cython.int
        packet: cython.int
        self.current = t
        self.purge_visits += SLOTS
        if self.tins[t].backlog == 0 and self.tins[t].sparse + self.tins[t].bulk == 0:
            return  # nothing can be queued: the walk would find every slot empty
        for f in range(t * STRIDE, t * STRIDE + SLOTS):
            packet = self.unqueue(t, f)
            while packet != NIL:
                self.drop_after(packet, QUEUE_PURGE)
                self.drops -= 1
                packet = self.unqueue(t, f)

    def scan(self, now: cython.longlong) -> cython.void:
        """As a child of cake_mq, share the rate with the children that are busy (7)."""
        n: cython.ulonglong = 1
        place: cython.int
        t: cython.int
        if now - self.last_check < 200_000 or (self.ns == 0 and self.mq_kernel != 0):
            return
        for place in range(self.siblings.count):
            if cython.compiled:
                if self.siblings.children[place] != cython.cast(cython.pointer[PyObject], self):
                    if (
                        cython.cast(Cake, self.siblings.children[place]).qlen > 0
                        or cython.cast(Cake, self.siblings.children[place]).last_active
                        > self.last_check
                    ):
                        n += 1
            else:
                other = self.siblings.children[place]
                if other is not self and (other.qlen > 0 or other.last_active > self.last_check):
                    n += 1
        if self.mq_kernel == 0:  # before 15c2715a5264: only the tin served last, and from it all
            self.set_rate(self.current, self.rate // n)
            self.ns = self.tins[self.current].ns
            self.shift = self.tins[self.current].shift
        else:
            self.configure(self.rate // n, True)
            if self.mq_kernel == 1:  # before a3729e0df005: walks the unused tins each time
                for t in range(self.tin_count, TINS):
                    self.clear_tin(t)
        self.scans += 1
        self.last_check = now
        self.active_queues = n

    # ------------------------------------------------------------ classification (3.4, 4)

    def choose_tin(self, packet: cython.int) -> cython.int:
        """Return the internal index of the packet's tin; wash the packet."""
        row: PacketRow = self.packet_at(packet)
        dscp: cython.uint = 0
        mark: cython.uint
        t: cython.int
        if row.protocol == IPV4 or row.protocol == IPV6:
            dscp = row.tos >> 2
            if self.wash:
                row.tos = row.tos & 3
        elif row.protocol == ARP:
            dscp = 0x38
        if self.besteffort:
            return 0
        mark = (row.mark & self.fwmark) >> self.fwmark_shift
        if 0 < mark <= self.tin_count:
            return self.order[mark - 1]
        if row.priority >> 16 == self.handle >> 16:
            mark = row.priority & 0xFFFF
            if 0 < mark <= self.tin_count:
                return self.order[mark - 1]
        t = self.index_of_dscp[dscp]
        return t if t < self.tin_count else 0

    def choose_slot(self, t: cython.int, packet: cython.int) -> cython.int:
        """Return the slot of the packet's flow, in tin `t`."""
        row: PacketRow = self.packet_at(packet)
        source: cython.uint = row.source_hash
        destination: cython.uint = row.destination_hash
        hash: cython.uint = 0
        chosen: cython.uint
        if self.flow_mode == 0 and not self.nat:
            return 0
        if self.flow_mode & 4:
            hash = row.flow_hash
        if row.classid:
            chosen = row.classid & 0xFFFF
            if 0 < chosen <= SLOTS:
                hash = chosen - 1
            chosen = row.classid >> 16
            if 0 < chosen <= SLOTS:
                source = chosen - 1
                destination = chosen - 1
        if not self.flow_mode & 4:
            if self.flow_mode & 1:
                hash ^= source
            if self.flow_mode & 2:
                hash ^= destination
        return self.find_slot(t, hash, source, destination)

    def find_slot(self, t: cython.int, hash: cython.uint, source: cython.uint, destination: cython.uint) -> cython.int:
        """Return the slot that a flow has or gets in the set-associative hash."""
        base: cython.int = t * STRIDE
        home: cython.int = hash & (SLOTS - 1)
        outer: cython.int = home & ~(WAYS - 1)
        slot: cython.int = home
        found: cython.int = NIL
        way: cython.int
        flow: FlowRow = self.flow_at(base + home)
        if flow.tag == hash and flow.state != NONE:
            return home
        for way in range(WAYS):
            slot = outer + ((home + way) & (WAYS - 1))
            if self.flows[base + slot].tag == hash:
                if way:
                    self.tins[t].way_hits += 1
                found = slot
                break
        if found != NIL:
            flow = self.flow_at(base + found)
            if flow.state == NONE:
                self.map_hosts(t, flow, source, destination)
            return found
        for way in range(WAYS):
            slot = outer + ((home + way) & (WAYS - 1))
            if self.flows[base + slot].state == NONE:
                self.tins[t].way_misses += 1
                found = slot
                break
        if found == NIL:
            self.tins[t].way_collisions += 1
            found = home
        flow = self.flow_at(base + found)
        if flow.state == BULK:
            self.leave_bulk(t, flow)
        flow.tag = hash
        self.map_hosts(t, flow, source, destination)
        return found

    def map_hosts(self, t: cython.int, flow: FlowRow, source: cython.uint, destination: cython.uint) -> cython.void:
        """Give a slot its entries of the host table, as far as the mode is fair to hosts."""
        base: cython.int = t * SLOTS
        home: cython.int
        outer: cython.int
        way: cython.int
        entry: cython.int
        if self.sources:
            home = source & (SLOTS - 1)
            outer = home & ~(WAYS - 1)
            entry = NIL
            for way in range(WAYS):
                if self.hosts[base + outer + ((home + way) & (WAYS - 1))].source_tag == source:
                    entry = outer + ((home + way) & (WAYS - 1))
                    break
            if entry == NIL:
                entry = home
                for way in range(WAYS):
                    if self.hosts[base + outer + ((home + way) & (WAYS - 1))].source_bulk == 0:
                        entry = outer + ((home + way) & (WAYS - 1))
                        break
                self.hosts[base + entry].source_tag = source
            flow.source = entry
            if flow.state == BULK and self.hosts[base + entry].source_bulk < SLOTS:
                self.hosts[base + entry].source_bulk += 1
        if self.destinations:
            home = destination & (SLOTS - 1)
            outer = home & ~(WAYS - 1)
            entry = NIL
            for way in range(WAYS):
                if (
                    self.hosts[base + outer + ((home + way) & (WAYS - 1))].destination_tag
                    == destination
                ):
                    entry = outer + ((home + way) & (WAYS - 1))
                    break
            if entry == NIL:
                entry = home
                for way in range(WAYS):
                    if self.hosts[base + outer + ((home + way) & (WAYS - 1))].destination_bulk == 0:
                        entry = outer + ((home + way) & (WAYS - 1))
                        break
                self.hosts[base + entry].destination_tag = destination
            flow.destination = entry
            if flow.state == BULK and self.hosts[base + entry].destination_bulk < SLOTS:
                self.hosts[base + entry].destination_bulk += 1

    def enter_bulk(self, t: cython.int, flow: FlowRow) -> cython.void:
        """Count a flow that has become bulk at its hosts."""
        entry: cython.int
        if self.sources:
            entry = t * SLOTS + flow.source
            if self.hosts[entry].source_bulk < SLOTS:
                self.hosts[entry].source_bulk += 1
        if self.destinations:
            entry = t * SLOTS + flow.destination
            if self.hosts[entry].destination_bulk < SLOTS:
                self.hosts[entry].destination_bulk += 1

    def leave_bulk(self, t: cython.int, flow: FlowRow) -> cython.void:
        """Count a flow that is no longer bulk at its hosts."""
        entry: cython.int
        if self.sources:
            entry = t * SLOTS + flow.source
            if self.hosts[entry].source_bulk > 0:
                self.hosts[entry].source_bulk -= 1
        if self.destinations:
            entry = t * SLOTS + flow.destination
            if self.hosts[entry].destination_bulk > 0:
                self.hosts[entry].destination_bulk -= 1

    def quantum(self, t: cython.int, flow: FlowRow) -> cython.int:
        """Return a flow's quantum: its share of what its busier host has, dithered (4.3)."""
        load: cython.int = 1
        if self.sources and self.hosts[t * SLOTS + flow.source].source_bulk > load:
            load = self.hosts[t * SLOTS + flow.source].source_bulk
        if (
            self.destinations
            and self.hosts[t * SLOTS + flow.destination].destination_bulk > load
        ):
            load = self.hosts[t * SLOTS + flow.destination].destination_bulk
        return (self.tins[t].flow_quantum * (65535 // load) + self.chance.u16()) >> 16

    # ------------------------------------------------------------ rows, lists and sizes

    def flow_at(self, f: cython.int) -> FlowRow:
        """Return a flow's row."""
        if cython.compiled:
            return cython.address(self.flows[f])
        return self.flows[f]

    def packet_at(self, packet: cython.int) -> PacketRow:
        """Return a packet's row; until the pool grows."""
        if cython.compiled:
            return cython.address(self.pool.rows[packet])
        return self.pool.rows[packet]

    def tin_at(self, t: cython.int) -> TinRow:
        """Return a tin's row."""
        if cython.compiled:
            return cython.address(self.tins[t])
        return self.tins[t]

    def append(self, t: cython.int, slot: cython.int, which: cython.int) -> cython.void:
        """Put a slot at the end of one of its tin's lists."""
        base: cython.int = t * STRIDE
        last: cython.int = self.flows[base + which].previous
        self.flows[base + slot].next = which
        self.flows[base + slot].previous = last
        self.flows[base + last].next = slot
        self.flows[base + which].previous = slot

    def unlink(self, t: cython.int, slot: cython.int) -> cython.void:
        """Take a slot out of the list it is in."""
        base: cython.int = t * STRIDE
        after: cython.int = self.flows[base + slot].next
        before: cython.int = self.flows[base + slot].previous
        self.flows[base + before].next = after
        self.flows[base + after].previous = before

    def adjust(self, length: cython.uint, offset: cython.uint) -> cython.uint:
        """Return the size of a packet on the wire (5.3)."""
        wide: cython.longlong
        if self.network_size:
            length = (length - offset) & M32
        if self.max_netlen < length:
            self.max_netlen = length & 0xFFFF
        if self.min_netlen > length:
            self.min_netlen = length & 0xFFFF
        wide = length
        if wide >= SIGN:
            wide -= TWO_32
        wide += self.overhead
        length = self.mpu if wide < self.mpu else wide
        if self.cells == 1:
            length = (length + 47) // 48 * 53
        elif self.cells == 2:
            length += (length + 63) // 64
        if self.max_adjlen < length:
            self.max_adjlen = length & 0xFFFF
        if self.min_adjlen > length:
            self.min_adjlen = length & 0xFFFF
        return length

    def measure(self, row: PacketRow) -> cython.void:
        """Write down what a packet, or every segment of a super-packet, takes on the wire."""
        offset: cython.uint = row.network_offset
        extra: cython.uint
        last: cython.uint
        self.average_offset += ((offset << 16) >> 8) - (self.average_offset >> 8)
        if row.gso_segs <= 1:
            row.adjusted = self.adjust(row.length, offset)
        else:
            extra = row.gso_segs - 1
            last = row.length - extra * row.header_length - extra * row.gso_size
            row.adjusted = extra * self.adjust(
                row.gso_size + row.header_length, offset
            ) + self.adjust(last, offset)

    # ------------------------------------------------------------ enqueue (5)

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Take a packet at `now` (ns)."""
        t: cython.int = self.choose_tin(packet)
        slot: cython.int = self.choose_slot(t, packet)
        f: cython.int = t * STRIDE + slot
        tin: TinRow = self.tin_at(t)
        length: cython.uint = self.pool.rows[packet].length
        if tin.backlog == 0:
            if tin.tnext < now:
                tin.tnext = now
            if self.qlen == 0:
                if self.tnext < now:
                    self.tnext = now
                    self.failsafe = now
                elif self.tnext > now and self.failsafe > now:
                    self.overlimits += 1
                    self.wakeup = self.failsafe if self.failsafe < self.tnext else self.tnext
        if length > tin.max_length:
            tin.max_length = length
        if self.pool.rows[packet].gso_segs > 1 and self.splits(self.packet_at(packet)):
            if not self.add_segments(t, f, packet, now):
                return DROP
        else:
            self.add_whole(t, f, packet, now)
        self.activate(t, slot)
        if self.used > self.most_used:
            self.most_used = self.used
        if self.used <= self.limit:
            return OK
        return CN if self.relieve(f, now) else OK

    def splits(self, row: PacketRow) -> cython.bint:
        """Say whether a super-packet is to be split."""
        if not self.split_gso:
            return False
        if self.split_up_to and not 0 < self.rate <= self.split_up_to:
            return False
        return row.length > self.split_above

    def queue(self, flow: FlowRow, packet: cython.int) -> cython.void:
        """Put a packet at the tail of a flow."""
        self.pool.rows[packet].next = NIL
        if flow.head == 0:
            flow.head = packet + 1
        else:
            self.pool.rows[flow.tail].next = packet
        flow.tail = packet

    def add_whole(self, t: cython.int, f: cython.int, packet: cython.int, now: cython.longlong) -> cython.int:
        """Queue a packet as it is; let the ACK filter look."""
        flow: FlowRow = self.flow_at(f)
        tin: TinRow = self.tin_at(t)
        row: PacketRow = self.packet_at(packet)
        length: cython.uint = row.length
        gone: cython.uint = 0
        change: cython.longlong = length
        row.enqueue_time = now
        self.measure(row)
        self.queue(flow, packet)
        self.used += row.truesize
        self.received += 1
        self.received_bytes += length
        self.enqueued += 1
        self.enqueued_bytes += length
        self.qlen += 1
        self.backlog += length
        flow.backlog += length
        tin.backlog += length
        tin.packets = (tin.packets + 1) & M32
        tin.bytes += length
        if self.ack_filter:
            gone = self.filter_acks(t, flow, packet, now)
        if self.heap_timeout:
            self.sift_up(flow.place)
        change -= gone
        self.estimate(change, now)
        return OK

    def filter_acks(self, t: cython.int, flow: FlowRow, packet: cython.int, now: cython.longlong) -> cython.uint:
        """Drop the ACK that a packet makes superfluous; return its length, 0 if there is none."""
        ack: cython.int = self.filter.find(flow.head - 1, packet, self.ack_filter == 2)
        before: cython.int
        length: cython.uint
        if ack == NIL:
            return 0
        before = self.filter.before
        if before == NIL:
            flow.head = self.pool.rows[ack].next + 1
        else:
            self.pool.rows[before].next = self.pool.rows[ack].next
        length = self.pool.rows[ack].length
        flow.backlog -= length
        self.tins[t].backlog -= length
        self.tins[t].ack_drops += 1
        self.used -= self.pool.rows[ack].truesize
        if self.ingress:
            self.charge(self.tin_at(t), self.pool.rows[ack].adjusted, True, now)
        self.drop_after(ack, ACK_FILTER)
        return length

    def add_segments(self, t: cython.int, f: cython.int, packet: cython.int, now: cython.longlong) -> cython.bint:
        """Queue the segments of a super-packet in its place; say whether it could be split."""
        flow: FlowRow = self.flow_at(f)
        tin: TinRow = self.tin_at(t)
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
        if size == 0 or left <= 0 or (left + size - 1) // size != count:
            self.note_received(packet)
            self.drop_before(packet, QDISC_DROP)
            return False
        for number in range(count):
            segment = self.pool.copy(packet)
            if segment == NIL:
                break
            row = self.packet_at(segment)
            length = header + (size if left > size else left)
            left -= size
            row.id = row.id * 1000 + number
            row.length = length
            row.gso_size = 0
            row.gso_segs = 1
            row.truesize = self.segment_truesize + length
            row.payload = length - header
            row.sequence += number * size
            row.enqueue_time = now
            self.measure(row)
            self.queue(flow, segment)
            self.used += row.truesize
            self.qlen += 1
            self.received += 1
            self.enqueued += 1
            tin.packets = (tin.packets + 1) & M32
            sum += length
        self.received_bytes += sum
        self.enqueued_bytes += sum
        self.backlog += sum
        flow.backlog += sum
        tin.backlog += sum
        tin.bytes += sum
        self.super_packets += 1
        self.segments += count
        self.pool.dropped(packet, GSO_SPLIT)
        if self.heap_timeout:
            self.sift_up(flow.place)
        self.estimate(sum, now)
        return True

    def estimate(self, change: cython.longlong, now: cython.longlong) -> cython.void:
        """Estimate the rate at which packets arrive; set it as the shaper's (5.5)."""
        gap: cython.ulonglong
        rate: cython.ulonglong
        if not self.autorate:
            self.window_bytes = 0
            self.last_packet = now
            return
        self.window_bytes = (self.window_bytes + change) & M64
        gap = now - self.last_packet
        if gap > 1_000_000_000:
            gap = 1_000_000_000
        if gap > self.average_gap:
            self.average_gap += (gap >> 2) - (self.average_gap >> 2)
        else:
            self.average_gap += (gap >> 8) - (self.average_gap >> 8)
        self.last_packet = now
        if gap <= self.average_gap:
            return
        rate = ((self.window_bytes * 1_000_000_000) & M64) // (now - self.window_begin)
        if rate > self.peak_rate:
            self.peak_rate += (rate >> 2) - (self.peak_rate >> 2)
        else:
            self.peak_rate += (rate >> 8) - (self.peak_rate >> 8)
        self.window_bytes = 0
        self.window_begin = now
        if now > self.last_reconfigure + 250_000_000:
            self.last_reconfigure = now
            self.rate = ((self.peak_rate * 15) & M64) >> 4
            self.configure(self.rate, False)

    def activate(self, t: cython.int, slot: cython.int) -> cython.void:
        """Put the flow of a packet that has come where it belongs (5.2, step 7)."""
        tin: TinRow = self.tin_at(t)
        flow: FlowRow = self.flow_at(t * STRIDE + slot)
        if flow.state == NONE or flow.state == DECAYING:
            if flow.state == DECAYING:
                self.unlink(t, slot)
                tin.decaying -= 1
            self.append(t, slot, NEW)
            flow.state = SPARSE
            tin.sparse += 1
            flow.deficit = self.quantum(t, flow)
        elif flow.state == SPARSE_WAIT:
            flow.state = BULK
            tin.sparse -= 1
            tin.bulk += 1
            self.enter_bulk(t, flow)

    # ------------------------------------------------------------ over the memory limit (5.6)

    def relieve(self, own: cython.int, now: cython.longlong) -> cython.bint:
        """Drop until the limit is kept; say whether a packet of flow `own` was dropped."""
        hit: cython.bint = False
        while self.used > self.limit:
            if self.drop_longest(now) == own:
                hit = True
        return hit

    def drop_longest(self, now: cython.longlong) -> cython.int:
        """Drop the head packet of what the heap takes for the longest flow; return the flow."""
        number: cython.int
        f: cython.int
        t: cython.int
        packet: cython.int
        if self.heap_timeout == 0:
            if not self.heap and not self.make_heap():
                return NIL
            for number in range(HEAP // 2 - 1, -1, -1):
                self.sift_down(number)
            self.heap_timeout = LIVE
        f = self.heap_flow(0)
        t = f // STRIDE
        flow: FlowRow = self.flow_at(f)
        tin: TinRow = self.tin_at(t)
        if flow.head == 0:
            self.heap_timeout = 0
            return f
        if self.cobalt_full(tin, flow, now):
            tin.unresponsive += 1
        packet = flow.head - 1
        flow.head = self.pool.rows[packet].next + 1
        flow.backlog -= self.pool.rows[packet].length
        tin.backlog -= self.pool.rows[packet].length
        self.used -= self.pool.rows[packet].truesize
        flow.dropped += 1
        tin.dropped += 1
        if self.ingress:
            self.charge(tin, self.pool.rows[packet].adjusted, True, now)
        self.drop_after(packet, OVERLIMIT)
        self.sift_down(0)
        return f

    def make_heap(self) -> cython.bint:
        """Make the heap, every flow in it; say whether there was memory."""
        number: cython.int
        if cython.compiled:
            self.heap = cython.cast(
                cython.pointer[cython.ushort], calloc(HEAP, cython.sizeof(cython.ushort))
            )
            if not self.heap:
                return False
        else:
            self.heap = [0] * HEAP
        for number in range(HEAP):
            self.heap[number] = (number % TINS) * SLOTS + number // TINS
            self.flows[(number % TINS) * STRIDE + number // TINS].place = number
        return True

    def heap_flow(self, place: cython.int) -> cython.int:
        """Return the flow at a place of the heap."""
        return (self.heap[place] // SLOTS) * STRIDE + self.heap[place] % SLOTS

    def heap_swap(self, one: cython.int, other: cython.int) -> cython.void:
        """Exchange two entries of the heap."""
        kept: cython.ushort = self.heap[one]
        self.heap[one] = self.heap[other]
        self.heap[other] = kept
        self.flows[self.heap_flow(one)].place = one
        self.flows[self.heap_flow(other)].place = other

    def sift_up(self, place: cython.int) -> cython.void:
        """Move an entry up while its flow is longer than the one above."""
        above: cython.int
        while place > 0:
            above = (place - 1) >> 1
            if (
                self.flows[self.heap_flow(place)].backlog
                <= self.flows[self.heap_flow(above)].backlog
            ):
                break
            self.heap_swap(place, above)
            place = above

    def sift_down(self, place: cython.int) -> cython.void:
        """Move an entry down, most often one level only: the kernel's heap has this defect.

        It goes on comparing with the backlog of the child it has changed places with, not with
        that of the entry it moves.
        """
        most: cython.uint = self.flows[self.heap_flow(place)].backlog
        child: cython.int
        largest: cython.int
        while True:
            largest = place
            child = 2 * place + 1
            if child < HEAP and self.flows[self.heap_flow(child)].backlog > most:
                largest = child
                most = self.flows[self.heap_flow(child)].backlog
            child += 1
            if child < HEAP and self.flows[self.heap_flow(child)].backlog > most:
                largest = child
                most = self.flows[self.heap_flow(child)].backlog
            if largest == place:
                break
            self.heap_swap(place, largest)
            place = largest

    # ------------------------------------------------------------ dequeue (6)

    def unqueue(self, t: cython.int, f: cython.int) -> cython.int:
        """Take a flow's first packet, NIL if it has none; the qdisc's own counters are not moved."""
        flow: FlowRow = self.flow_at(f)
        packet: cython.int = flow.head - 1
        length: cython.uint
        if packet == NIL:
            return NIL
        length = self.pool.rows[packet].length
        flow.head = self.pool.rows[packet].next + 1
        flow.backlog -= length
        self.tins[t].backlog -= length
        self.used -= self.pool.rows[packet].truesize
        self.pool.rows[packet].next = NIL
        if self.heap_timeout:
            self.sift_down(flow.place)
        return packet

    def charge(self, tin: TinRow, length: cython.uint, drop: cython.bint, now: cython.longlong) -> cython.void:
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

    def pick_tin(self, now: cython.longlong) -> cython.int:
        """Return the tin to serve: the highest on schedule, else the first that will be."""
        best: cython.longlong = 0
        found: cython.int = NIL
        wait: cython.longlong
        t: cython.int
        for t in range(self.tin_count):
            if self.tins[t].sparse + self.tins[t].bulk > 0:
                wait = self.tins[t].tnext - now
                if wait <= 0 or found == NIL or wait <= best:
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

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give the next packet that may leave at `now` (ns)."""
        packet: cython.int
        t: cython.int
        f: cython.int
        slot: cython.int
        first: cython.bint = True
        if self.siblings is not None:
            self.scan(now)
        packet = self.parked
        if packet != NIL:
            return self.take_parked(now)
        while True:
            if self.qlen == 0:
                return NIL
            if self.tnext > now and self.failsafe > now:
                self.overlimits += 1
                self.wakeup = self.failsafe if self.failsafe < self.tnext else self.tnext
                return NIL
            if self.ns:
                t = self.pick_tin(now)
                self.current = t if t != NIL else self.current
            else:
                t = self.pick_unshaped()
            if t == NIL:
                return NIL
            while True:
                slot = self.flows[t * STRIDE + DECAYED].next
                if not first or slot == DECAYED:
                    slot = self.flows[t * STRIDE + NEW].next
                    if slot == NEW:
                        slot = self.flows[t * STRIDE + OLD].next
                        if slot == OLD:
                            slot = self.flows[t * STRIDE + DECAYED].next
                            if slot == DECAYED:
                                break
                first = False
                f = t * STRIDE + slot
                flow: FlowRow = self.flow_at(f)
                if flow.deficit <= 0:
                    self.rotate(t, slot)
                    continue
                packet = self.serve(t, f, now)
                if packet == RETRY:
                    continue
                if packet == NIL:
                    self.retire(t, slot, now)
                    break
                self.deliver(t, flow, packet, now)
                return packet

    def rotate(self, t: cython.int, slot: cython.int) -> cython.void:
        """Give a flow that has used up its deficit its next quantum, at the end of the old ones."""
        tin: TinRow = self.tin_at(t)
        flow: FlowRow = self.flow_at(t * STRIDE + slot)
        if flow.state == SPARSE:
            if flow.head:
                flow.state = BULK
                tin.sparse -= 1
                tin.bulk += 1
                self.enter_bulk(t, flow)
            else:
                flow.state = SPARSE_WAIT
        flow.deficit += self.quantum(t, flow)
        self.unlink(t, slot)
        self.append(t, slot, OLD)
        self.rotations += 1

    def serve(self, t: cython.int, f: cython.int, now: cython.longlong) -> cython.int:
        """Take packets from a flow until COBALT lets one pass.

        Return that packet, NIL if the flow is empty, RETRY if another flow is to be chosen.
        """
        tin: TinRow = self.tin_at(t)
        flow: FlowRow = self.flow_at(f)
        packet: cython.int = self.unqueue(t, f)
        reason: cython.int
        length: cython.uint
        while packet != NIL:
            reason = self.judge(tin, flow, packet, now)
            if reason == KEEP or flow.head == 0:
                return packet
            if self.ingress:
                length = self.pool.rows[packet].adjusted
                self.charge(tin, length, True, now)
                flow.deficit -= length
                self.spend(tin, length)
            flow.dropped += 1
            tin.dropped += 1
            self.drop_after(packet, reason)
            if self.ingress:
                return RETRY
            packet = self.unqueue(t, f)
        return NIL

    def spend(self, tin: TinRow, length: cython.uint) -> cython.void:
        """Take bytes from a tin's deficit, which wraps at 32 bits."""
        wide: cython.longlong = tin.deficit
        wide -= length
        if wide < -SIGN:
            wide += TWO_32
        tin.deficit = wide

    def retire(self, t: cython.int, slot: cython.int, now: cython.longlong) -> cython.void:
        """Deal with a flow that was found empty: let it decay, or forget it."""
        tin: TinRow = self.tin_at(t)
        flow: FlowRow = self.flow_at(t * STRIDE + slot)
        before: cython.int = flow.state
        self.empty_visits += 1
        if self.cobalt_empty(tin, flow, now):
            tin.unresponsive -= 1
        self.unlink(t, slot)
        if before == BULK:
            tin.bulk -= 1
            self.leave_bulk(t, flow)
        elif before == SPARSE or before == SPARSE_WAIT:
            tin.sparse -= 1
        else:
            tin.decaying -= 1
        if flow.p_drop or flow.count or now < flow.drop_next:
            self.append(t, slot, DECAYED)
            flow.state = DECAYING
            tin.decaying += 1
        else:
            flow.state = NONE

    def deliver(self, t: cython.int, flow: FlowRow, packet: cython.int, now: cython.longlong) -> cython.void:
        """Count a packet that leaves, charge for it, and arm the timer for the next."""
        tin: TinRow = self.tin_at(t)
        row: PacketRow = self.packet_at(packet)
        delay: cython.longlong = now - row.enqueue_time
        length: cython.uint = row.adjusted
        self.dequeued += 1
        self.dequeued_bytes += row.length
        self.qlen -= 1
        self.backlog -= row.length
        self.last_active = now
        if self.marked:
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
        self.charge(tin, length, False, now)
        flow.deficit -= length
        self.spend(tin, length)
        if self.tnext > now and self.qlen:
            self.wakeup = self.failsafe if self.failsafe < self.tnext else self.tnext
        elif self.qlen == 0:
            for t in range(self.tin_count):
                if self.tins[t].decaying:
                    self.wakeup = now + self.tins[t].target
                    break
        if self.heap_timeout:
            self.heap_timeout -= 1

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

    # ------------------------------------------------------------ COBALT (6.4)

    def root(self, flow: FlowRow) -> cython.void:
        """Bring the inverse square root to a new count."""
        rec: cython.ulonglong
        square: cython.ulonglong
        count: cython.ulonglong
        if flow.count < 16:
            flow.rec = self.roots[flow.count]
            return
        rec = flow.rec
        count = flow.count
        square = (rec * rec) >> 32
        square = ((THREE_32 - count * square) & M64) >> 2
        flow.rec = (((square * rec) & M64) >> 31) & M32

    def control(self, tin: TinRow, flow: FlowRow, at: cython.longlong) -> cython.longlong:
        """Return the time of the next signal after `at`.

        Only 32 bits of the interval take part.
        """
        wide: cython.ulonglong = tin.interval & M32
        return at + ((wide * flow.rec) >> 32)

    def judge(self, tin: TinRow, flow: FlowRow, packet: cython.int, now: cython.longlong) -> cython.int:
        """Return why a packet is to be dropped, or KEEP; mark it if it is to be marked."""
        sojourn: cython.longlong = now - self.pool.rows[packet].enqueue_time
        late: cython.longlong = now - flow.drop_next
        due: cython.bint = flow.count != 0 and late >= 0
        verdict: cython.int = KEEP
        self.marked = 0
        over: cython.bint = sojourn > tin.target and sojourn > tin.mtu_time * 4
        if over and self.ingress:
            over = sojourn > tin.mtu_time * 2 * tin.bulk
        if over:
            if not flow.dropping:
                flow.dropping = 1
                flow.drop_next = self.control(tin, flow, now)
            if flow.count == 0:
                flow.count = 1
        else:
            flow.dropping = 0
        if due and flow.dropping:
            if self.mark(packet):
                self.marked = 1
            else:
                verdict = CONGESTED
            if flow.count < M32:
                flow.count += 1
            self.root(flow)
            flow.drop_next = self.control(tin, flow, flow.drop_next)
            late = now - flow.drop_next
        elif due:
            while flow.count != 0 and late >= 0:
                flow.count -= 1
                self.root(flow)
                flow.drop_next = self.control(tin, flow, flow.drop_next)
                late = now - flow.drop_next
        if flow.p_drop and verdict == KEEP and self.chance.u32() < flow.p_drop:
            verdict = FLOOD_PROTECTION
        if flow.count == 0:
            flow.drop_next = now + tin.interval
        elif late > 0 and verdict == KEEP:
            flow.drop_next = now
        return verdict

    def mark(self, packet: cython.int) -> cython.bint:
        """Set Congestion Experienced; say whether the packet can carry it."""
        row: PacketRow = self.packet_at(packet)
        if row.protocol != IPV4 and row.protocol != IPV6:
            return False
        if row.tos & CE == 0:
            return False
        row.tos = row.tos | CE
        return True

    def cobalt_full(self, tin: TinRow, flow: FlowRow, now: cython.longlong) -> cython.bint:
        """Tell BLUE that a flow overflows; say whether it has just become unresponsive."""
        up: cython.bint = False
        if now - flow.blue_timer > tin.target:
            up = flow.p_drop == 0
            flow.p_drop = M32 if flow.p_drop > NEARLY else flow.p_drop + 0x1000000
            flow.blue_timer = now
        flow.dropping = 1
        flow.drop_next = now
        if flow.count == 0:
            flow.count = 1
        return up

    def cobalt_empty(self, tin: TinRow, flow: FlowRow, now: cython.longlong) -> cython.bint:
        """Tell COBALT that a flow is empty; say whether it is no longer unresponsive."""
        down: cython.bint = False
        if flow.p_drop and now - flow.blue_timer > tin.target:
            flow.p_drop = 0 if flow.p_drop < 0x100000 else flow.p_drop - 0x100000
            flow.blue_timer = now
            down = flow.p_drop == 0
        flow.dropping = 0
        if flow.count != 0 and now >= flow.drop_next:
            flow.count -= 1
            self.root(flow)
            flow.drop_next = self.control(tin, flow, flow.drop_next)
        return down

    # ------------------------------------------------------------ what Python reads

    def tin(self, index: int) -> dict[str, int]:
        """Return the row of a tin by its internal index (see `rows.Tin`)."""
        if not 0 <= index < TINS:
            raise IndexError(f"no tin {index}")
        if cython.compiled:
            return self.tins[index]
        return {name: getattr(self.tins[index], name) for name in Tin.__slots__}

    def flow(self, index: int, slot: int) -> dict[str, int]:
        """Return the row of a flow (see `rows.Flow`)."""
        if not (0 <= index < TINS and 0 <= slot < SLOTS):
            raise IndexError(f"no slot {slot} in tin {index}")
        if cython.compiled:
            return self.flows[index * STRIDE + slot]
        row = self.flows[index * STRIDE + slot]
        return {name: getattr(row, name) for name in Flow.__slots__}

    def host(self, index: int, entry: int) -> dict[str, int]:
        """Return the row of a host (see `rows.Host`)."""
        if not (0 <= index < TINS and 0 <= entry < SLOTS):
            raise IndexError(f"no entry {entry} in tin {index}")
        if cython.compiled:
            return self.hosts[index * SLOTS + entry]
        row = self.hosts[index * SLOTS + entry]
        return {name: getattr(row, name) for name in Host.__slots__}

    def tin_of_position(self, position: int) -> int:
        """Return the internal index of the tin at a display position."""
        if not 0 <= position < self.tin_count:
            raise IndexError(f"no tin at {position}")
        return self.order[position]
