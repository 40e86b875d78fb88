# cython: cdivision=True
r"""A device with transmit queues: qdiscs, byte queue limits, NIC and processors.

    qdisc of each queue, or one for all --> [processor] --> NIC ring --> wire, interrupts
                                                        \-> backlog of a processor (veth)

A NIC takes frames from its rings in turn, one frame at a time; a super-packet is one object of the
byte queue limit and is done when its last frame has left.  What was sent is reported by an
interrupt that comes no sooner than an interval after the last; only then is memory freed, the
limit adjusted and the qdisc asked again.

A device without a NIC hands packets to the backlog of the processor of their queue (veth and
`netif_rx()`): first in, first out, at most `backlog` packets, no limit of bytes.

`processor`, if it costs time, is either spent before the next packet is taken from the qdisc (a
router that runs to completion) or behind the qdisc, in the backlog.  The scans of cake_mq
(`purge_visits`) cost time on the processor of the child that makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.ref import PyObject
    from cython.cimports.libc.stdlib import calloc, free, realloc
else:
    from tcc.engine.constants import NEVER, NIL, OK
    from tcc.engine.host.rows import TxQueue, TxQueueRow
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import LOCAL, PURE_ACK

    WATCHDOG = 11
    PROCESSOR = 12
    FRAME = 13
    INTERRUPT = 14
    REFILL = 15
    SUPER_DESCRIPTORS = 18
    WARM_INTERVALS = 5
    LONG_AGO = -1_000_000_000

from tcc.engine.cake.qdisc import Cake
from tcc.engine.host.dql import HOLD, MOST, DynamicLimit
from tcc.engine.measure import Histogram
from tcc.engine.path import Interface
from tcc.engine.queue_disc import QueueDisc
from tcc.engine.sink import Sink
from tcc.engine.tap import Tap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcc.engine.events import Schedule
    from tcc.engine.tcp.options import OptionPool


@dataclass(frozen=True, slots=True)
class Nic:
    """A network card.

    Attributes:
        rate: of the wire (bit/s).
        interval: least time between two interrupts (ns).
        descriptors: of each ring; a super-packet takes 18.
        refill: time from an interrupt until a socket fills its queue again (ns).
        hold: of the byte queue limit (ns).
        most: largest byte queue limit (bytes); 0 for no byte queue limit.
        framing: bytes that each frame takes on the wire beside the packet's.
    """

    rate: int
    interval: int = 0
    descriptors: int = 512
    refill: int = 0
    hold: int = HOLD
    most: int = MOST
    framing: int = 24


@dataclass(frozen=True, slots=True)
class Processors:
    """What processors spend.

    Attributes:
        service: time for each packet (ns).
        inline: it passes before the next packet is taken from the qdisc, not behind the qdisc.
        backlog: packets that wait for a processor at most, where it comes behind the qdisc.
        visit_warm: time for each flow queue that a scan of cake_mq visits, in caches (ps).
        visit_cold: the same after a pause.
        sync_interval: of the scans (ns).
        duty: as long as a processor has packets, its child scans once in each interval; the
            packets take so much longer.  Otherwise each scan that was made is paid for.
    """

    service: int = 0
    inline: bool = False
    backlog: int = 1000
    visit_warm: int = 0
    visit_cold: int = 0
    sync_interval: int = 200_000
    duty: bool = False


class Device(Interface):
    """An interface with several transmit queues, a NIC, processors.

    Args:
        schedule: the simulation's events.
        root: what is shown as the device's qdisc.
        children: the qdisc of each transmit queue; one of them serves all queues.
        following: where packets go that were sent.
        options: where SACK options lie, to free those of dropped acknowledgements.
        queues: transmit queues.
        nic: the network card; None for a device that has none.
        processors: what processing costs.
        veil: hash that stands for all hosts behind NAT, where the qdisc cannot see through it.
        veil_source: hide the sources; otherwise, if there is a veil, the destinations.

    Raises:
        ValueError: neither one child nor one for each queue.
    """

    def __init__(
        self,
        schedule: Schedule,
        root: QueueDisc,
        children: Sequence[QueueDisc],
        following: Sink,
        options: OptionPool,
        queues: int = 1,
        nic: Nic | None = None,
        processors: Processors | None = None,
        veil: int | None = None,
        veil_source: bool = True,
    ) -> None:
        number: cython.int
        Interface.__init__(
            self, schedule, root, following, options, veil=veil, veil_source=veil_source
        )
        if len(children) not in (1, queues):
            raise ValueError("a device has one qdisc, or one for each transmit queue")
        self.children = list(children)
        self.count = queues
        self.shared = len(children) < queues
        cakes = [child.inner if isinstance(child, Tap) else child for child in children]
        self.synchronises = isinstance(cakes[0], Cake) and bool(cakes[0].child)
        self.scanning = cakes if self.synchronises else []
        self.install_nic(nic)
        self.install_processors(processors or Processors())
        self.placed = 0
        self.behinds: list[Histogram] = []
        if not cython.compiled:
            self.places: list[int] = []
            self.table: list[TxQueue] = [TxQueue() for _ in range(queues)]
            self.qdiscs: list[QueueDisc] = self.children
            self.cakes: list[QueueDisc] = self.scanning
            self.limits: list[DynamicLimit] = self.byte_limits
            self.waits: list[Histogram] = self.behinds
        else:
            self.table = cython.cast(
                cython.pointer[TxQueue], calloc(queues, cython.sizeof(TxQueue))
            )
            self.qdiscs = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                calloc(queues, cython.sizeof(cython.size_t)),
            )
            self.cakes = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                calloc(queues, cython.sizeof(cython.size_t)),
            )
            self.limits = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                calloc(queues, cython.sizeof(cython.size_t)),
            )
            if not self.table or not self.qdiscs or not self.cakes or not self.limits:
                raise MemoryError
            for number in range(len(self.children)):
                self.qdiscs[number] = cython.cast(cython.pointer[PyObject], self.children[number])
            for number in range(len(self.scanning)):
                self.cakes[number] = cython.cast(cython.pointer[PyObject], self.scanning[number])
            for number in range(len(self.byte_limits)):
                self.limits[number] = cython.cast(
                    cython.pointer[PyObject], self.byte_limits[number]
                )
        for number in range(queues):
            self.prepare(number)

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.table)
            free(self.qdiscs)
            free(self.cakes)
            free(self.limits)
            free(self.places)
            free(self.waits)

    def group(self) -> int:
        """Make a group whose time in the qdisc, and behind it, is measured apart."""
        number: cython.int = Interface.group(self)
        histogram = Histogram()
        self.behinds.append(histogram)
        if cython.compiled:
            waits: cython.pointer[cython.pointer[PyObject]] = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                realloc(self.waits, (number + 1) * cython.sizeof(cython.size_t)),
            )
            if not waits:
                raise MemoryError
            waits[number] = cython.cast(cython.pointer[PyObject], histogram)
            self.waits = waits
        return number

    def behind(self) -> Histogram:
        """Return the time of all packets between the qdisc and the end of its wire or processor."""
        whole = Histogram()
        for part in self.behinds:
            whole.merge(part)
        return whole

    def install_nic(self, nic: Nic | None) -> None:
        """Take over what the network card is like."""
        self.wire = nic.rate if nic else 0
        self.framing = nic.framing if nic else 0
        self.interval = nic.interval if nic else 0
        self.refill = nic.refill if nic else 0
        self.descriptors = nic.descriptors if nic else 0
        limited = nic is not None and nic.most > 0
        self.byte_limits: list[DynamicLimit] = []
        if nic is not None and limited:
            self.byte_limits = [DynamicLimit(nic.hold, 0, nic.most) for _ in range(self.count)]
        self.on_wire = NIL
        self.last_ring = self.count - 1
        self.frame = self.next_interrupt = self.interrupts = self.frames = 0
        self.interrupt_pending = False
        self.frame_timer = self.schedule.new_timer(self, FRAME)
        self.interrupt_timer = self.schedule.new_timer(self, INTERRUPT)
        self.refill_line = self.schedule.new_line(self, REFILL)

    def install_processors(self, processors: Processors) -> None:
        """Take over what processing costs."""
        self.inline = processors.inline
        self.service = processors.service
        self.backlog_limit = processors.backlog
        self.visit_warm = processors.visit_warm
        self.visit_cold = processors.visit_cold
        self.sync_interval = processors.sync_interval
        self.duty = processors.duty

    def prepare(self, number: cython.int) -> None:
        """Make a transmit queue ready."""
        watchdog = self.schedule.new_timer(self, WATCHDOG, number)
        processor = self.schedule.new_timer(self, PROCESSOR, number)
        queue: TxQueueRow = self.queue_at(number)
        queue.watchdog = watchdog
        queue.processor = processor
        queue.parked = queue.busy = NIL
        queue.head = queue.tail = queue.first = queue.last = NIL
        queue.last_scan = LONG_AGO
        if self.synchronises:
            queue.visits = self.scanning[number].purge_visits  # type: ignore[attr-defined]

    def place(self, flow: int, queue: int) -> None:
        """Let the packets of a flow take a transmit queue; those not placed are hashed.

        Raises:
            ValueError: the device has no such queue.
        """
        number: cython.int
        if not 0 <= queue < self.count:
            raise ValueError(f"a device with {self.count} queues has no queue {queue}")
        if flow >= self.placed:
            if not cython.compiled:
                self.places.extend([NIL] * (flow + 1 - self.placed))
            else:
                places: cython.pointer[cython.int] = cython.cast(
                    cython.pointer[cython.int],
                    realloc(self.places, (flow + 1) * cython.sizeof(cython.int)),
                )
                if not places:
                    raise MemoryError
                for number in range(self.placed, flow + 1):
                    places[number] = NIL
                self.places = places
            self.placed = flow + 1
        self.places[flow] = queue

    def set_service(self, service: int) -> None:
        """Change what a packet costs (ns), before the simulation runs."""
        self.service = service

    def queue_at(self, number: cython.int) -> TxQueueRow:
        """Return a transmit queue."""
        if cython.compiled:
            return cython.address(self.table[number])
        return self.table[number]

    def pull(self, number: cython.int, now: cython.longlong) -> cython.int:
        """Ask a qdisc for a packet."""
        if cython.compiled:
            return cython.cast(QueueDisc, self.qdiscs[number]).do_dequeue(now)
        return self.qdiscs[number].do_dequeue(now)

    def is_open(self, number: cython.int) -> cython.bint:
        """Answer whether the NIC takes more packets of a queue."""
        if self.wire == 0:
            return True
        if self.queue_at(number).used + SUPER_DESCRIPTORS > self.descriptors:
            return False
        if cython.compiled:
            if self.limits[number]:
                return cython.cast(DynamicLimit, self.limits[number]).room() >= 0
            return True
        return not self.limits or self.limits[number].room() >= 0

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Queue a packet, and send what may be sent."""
        row: cython.pointer[Packet] = self.pool.rows
        flow: cython.int = row[packet].flow
        wide: cython.ulonglong = row[packet].flow_hash
        number: cython.int
        verdict: cython.int
        if self.veil_source:
            row[packet].source_hash = self.veil
        elif self.veil_destination:
            row[packet].destination_hash = self.veil
        if flow < self.placed and self.places[flow] != NIL:
            number = self.places[flow]
        else:
            number = (wide * self.count) >> 32
        row[packet].tx_queue = number
        if self.shared:
            number = 0
        if cython.compiled:
            verdict = cython.cast(QueueDisc, self.qdiscs[number]).do_enqueue(packet, now)
        else:
            verdict = self.qdiscs[number].do_enqueue(packet, now)
        if verdict != OK:
            self.press(packet, verdict, now)
        if self.pool.drops_waiting:
            self.drain(now)
        self.serve(number, now)

    def serve(self, number: cython.int, now: cython.longlong) -> cython.void:
        """Run a qdisc: hand on what it gives, as long as NIC and processor take it."""
        queue: TxQueueRow = self.queue_at(number)
        packet: cython.int
        when: cython.longlong
        if queue.inside:
            return
        queue.inside = True
        while queue.busy == NIL:
            packet = queue.parked
            if packet != NIL:
                if not self.is_open(self.pool.rows[packet].tx_queue):
                    break
                queue.parked = NIL
            else:
                if not self.shared and not self.is_open(number):
                    queue.stops += 1
                    break
                packet = self.pull(number, now)
                if self.pool.drops_waiting:
                    self.drain(now)
                if self.synchronises:
                    self.synchronise(number, now)
                if packet == NIL:
                    break
                self.account(packet, now)
                if self.shared and not self.is_open(self.pool.rows[packet].tx_queue):
                    queue.stops += 1
                    queue.parked = packet
                    break
            if self.inline:
                queue.busy = packet
                self.schedule.arm(queue.processor, now + self.cost_of(number, packet))
            else:
                self.pass_on(packet, now)
        queue.inside = False
        if cython.compiled:
            when = cython.cast(QueueDisc, self.qdiscs[number]).wakeup
            cython.cast(QueueDisc, self.qdiscs[number]).wakeup = NEVER
        else:
            when = self.qdiscs[number].wakeup
            self.qdiscs[number].wakeup = NEVER
        if when != NEVER:
            self.schedule.arm(queue.watchdog, when)

    def synchronise(self, number: cython.int, now: cython.longlong) -> cython.void:
        """Charge the processor of a cake_mq child for the scan that it may have made."""
        queue: TxQueueRow = self.queue_at(number)
        total: cython.longlong
        visits: cython.longlong
        since: cython.longlong
        cost: cython.longlong
        if cython.compiled:
            total = cython.cast(Cake, self.cakes[number]).purge_visits
        else:
            total = self.cakes[number].purge_visits  # type: ignore[attr-defined]
        visits = total - queue.visits
        if visits == 0:
            return
        queue.visits = total
        since = now - queue.last_scan
        queue.last_scan = now
        queue.scans += 1
        cost = visits * self.visit_warm // 1000
        if since > WARM_INTERVALS * self.sync_interval and queue.waiting == 0:
            cost = visits * self.visit_cold // 1000
            queue.scan_cost = 0
        elif self.duty:
            queue.scan_cost = cost  # for `cost_of`
            return
        queue.debt += cost
        queue.sync_work += cost

    def account(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Count a packet that has left its qdisc."""
        row: cython.pointer[Packet] = self.pool.rows
        waited: cython.longlong = now - row[packet].enqueue_time
        group: cython.int = self.groups[row[packet].flow]
        if cython.compiled:
            cython.cast(Histogram, self.histograms[group]).add(waited)
        else:
            self.histograms[group].add(waited)
        self.sent += 1
        self.sent_bytes += row[packet].length
        self.framed_bytes += row[packet].adjusted
        row[packet].enqueue_time = now

    def cost_of(self, number: cython.int, packet: cython.int) -> cython.longlong:
        """Return the processor's time for a packet and the work it owes; it owes none then."""
        queue: TxQueueRow = self.queue_at(number)
        segments: cython.longlong = self.pool.rows[packet].gso_segs
        debt: cython.longlong = queue.debt
        cost: cython.longlong
        queue.debt = 0
        if segments < 1:
            segments = 1
        cost = segments * self.service
        queue.work += cost
        if queue.scan_cost and queue.scan_cost < self.sync_interval:
            queue.sync_work -= cost
            cost = cost * self.sync_interval // (self.sync_interval - queue.scan_cost)
            queue.sync_work += cost
        return debt + cost

    def pass_on(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Hand a packet to what comes behind the qdisc."""
        if self.wire:
            self.to_ring(packet, now)
        elif self.service and not self.inline:
            self.to_backlog(packet, now)
        else:
            self.deliver(packet, now)

    # ------------------------------------------------------------ processors

    def to_backlog(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Queue a packet for the processor of its queue."""
        number: cython.int = 0 if self.shared else self.pool.rows[packet].tx_queue
        queue: TxQueueRow = self.queue_at(number)
        if queue.waiting >= self.backlog_limit:
            queue.refused += 1
            self.release(packet, now)
            if self.pool.rows[packet].kind == PURE_ACK and self.pool.rows[packet].id:
                self.options.give(self.pool.rows[packet].id - 1)
            self.pool.give(packet)
            return
        self.pool.rows[packet].next = NIL
        if queue.first == NIL:
            queue.first = packet
        else:
            self.pool.rows[queue.last].next = packet
        queue.last = packet
        queue.waiting += 1
        if queue.waiting > queue.most_waiting:
            queue.most_waiting = queue.waiting
        if queue.waiting == 1:
            self.schedule.arm(queue.processor, now + self.cost_of(number, packet))

    def processed(self, number: cython.int, now: cython.longlong) -> cython.void:
        """A processor is done with a packet."""
        queue: TxQueueRow = self.queue_at(number)
        packet: cython.int
        if self.inline:
            packet = queue.busy
            queue.busy = NIL
            queue.inside = True
            self.pass_on(packet, now)
            queue.inside = False
            self.serve(number, now)
            return
        packet = queue.first
        queue.first = self.pool.rows[packet].next
        self.pool.rows[packet].next = NIL
        queue.waiting -= 1
        if queue.first == NIL:
            queue.last = NIL
        else:
            self.schedule.arm(queue.processor, now + self.cost_of(number, queue.first))
        self.leave_behind(packet, now)
        self.deliver(packet, now)

    def leave_behind(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Count for how long a packet was behind the qdisc."""
        waited: cython.longlong = now - self.pool.rows[packet].enqueue_time
        group: cython.int = self.groups[self.pool.rows[packet].flow]
        if cython.compiled:
            cython.cast(Histogram, self.waits[group]).add(waited)
        else:
            self.waits[group].add(waited)

    def release(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Tell a socket on this host that a packet's memory is free."""
        owner: cython.int = self.pool.rows[packet].owner
        if self.pool.rows[packet].flags & LOCAL:
            if cython.compiled:
                cython.cast(Sink, self.schedule.handlers[owner]).departed(packet, now)
            else:
                self.schedule.handlers[owner].departed(packet, now)  # type: ignore[attr-defined]

    # ------------------------------------------------------------ NIC

    def to_ring(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Give a packet to the NIC."""
        row: cython.pointer[Packet] = self.pool.rows
        number: cython.int = row[packet].tx_queue
        queue: TxQueueRow = self.queue_at(number)
        if cython.compiled:
            if self.limits[number]:
                cython.cast(DynamicLimit, self.limits[number]).add(row[packet].length)
        elif self.limits:
            self.limits[number].add(row[packet].length)
        queue.used += SUPER_DESCRIPTORS if row[packet].gso_segs > 1 else 1
        queue.objects += 1
        row[packet].next = NIL
        if queue.head == NIL:
            queue.head = packet
            queue.left = row[packet].length
        else:
            row[queue.tail].next = packet
        queue.tail = packet
        if self.on_wire == NIL:
            self.start_frame(now)

    def start_frame(self, now: cython.longlong) -> cython.void:
        """Put the next frame on the wire: rings take turns."""
        row: cython.pointer[Packet] = self.pool.rows
        number: cython.int = self.last_ring
        _: cython.int
        queue: TxQueueRow
        for _ in range(self.count):
            number += 1
            if number == self.count:
                number = 0
            queue = self.queue_at(number)
            if queue.head != NIL:
                self.frame = queue.left
                if row[queue.head].gso_segs > 1:
                    self.frame = row[queue.head].gso_size + row[queue.head].header_length
                    if self.frame > queue.left:
                        self.frame = queue.left
                self.on_wire = self.last_ring = number
                self.schedule.arm(
                    self.frame_timer,
                    now + (self.frame + self.framing) * 8 * 1000000000 // self.wire,
                )
                return

    def end_frame(self, now: cython.longlong) -> cython.void:
        """A frame has left."""
        row: cython.pointer[Packet] = self.pool.rows
        queue: TxQueueRow = self.queue_at(self.on_wire)
        packet: cython.int = queue.head
        copy: cython.int
        self.on_wire = NIL
        self.frames += 1
        queue.left -= self.frame
        if queue.left <= 0:
            queue.head = row[packet].next
            if queue.head == NIL:
                queue.tail = NIL
            else:
                queue.left = row[queue.head].length
            queue.done_bytes += row[packet].length
            queue.done_used += SUPER_DESCRIPTORS if row[packet].gso_segs > 1 else 1
            self.leave_behind(packet, now)
            row[packet].next = NIL
            if row[packet].flags & LOCAL:
                copy = self.pool.copy(packet)
                if copy == NIL:
                    self.schedule.stopped = True
                    return
                if queue.first == NIL:
                    queue.first = copy
                else:
                    self.pool.rows[queue.last].next = copy
                queue.last = copy
                self.pool.rows[packet].flags = self.pool.rows[packet].flags & ~LOCAL
            if not self.interrupt_pending:
                self.interrupt_pending = True
                self.schedule.arm(self.interrupt_timer, self.next_interrupt)
            self.start_frame(now)
            self.following.take(packet, now)
            return
        self.start_frame(now)

    def interrupt(self, now: cython.longlong) -> cython.void:
        """The NIC reports what it has sent."""
        number: cython.int
        copy: cython.int
        queue: TxQueueRow
        self.interrupt_pending = False
        self.interrupts += 1
        self.next_interrupt = now + self.interval
        for number in range(self.count):
            queue = self.queue_at(number)
            if queue.done_used == 0:
                continue
            if cython.compiled:
                if self.limits[number]:
                    cython.cast(DynamicLimit, self.limits[number]).complete(queue.done_bytes, now)
            elif self.limits:
                self.limits[number].complete(queue.done_bytes, now)
            queue.used -= queue.done_used
            queue.done_used = 0
            queue.done_bytes = 0
            while queue.first != NIL:
                copy = queue.first
                queue.first = self.pool.rows[copy].next
                self.schedule.send(self.refill_line, copy, now + self.refill)
            queue.last = NIL
            if not self.shared:
                self.serve(number, now)
        if self.shared:
            self.serve(0, now)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """A timer of a qdisc, a processor or the NIC."""
        if what == FRAME:
            self.end_frame(now)
        elif what == PROCESSOR:
            self.processed(argument, now)
        elif what == WATCHDOG:
            self.serve(argument, now)
        elif what == INTERRUPT:
            self.interrupt(now)
        elif what == REFILL:
            self.release(argument, now)
            self.pool.give(argument)

    def clear(self) -> None:
        """Forget what was measured."""
        number: cython.int
        Interface.clear(self)
        for part in self.behinds:
            part.clear()
        for number in range(self.count):
            queue: TxQueueRow = self.queue_at(number)
            queue.scans = queue.work = queue.sync_work = queue.refused = 0
            queue.most_waiting = queue.objects = queue.stops = 0
        self.interrupts = self.frames = 0

    def counters(self) -> dict[str, int]:
        """Return what happened behind the qdisc while measured: sums over the queues."""
        number: cython.int
        names = ("scans", "work", "sync_work", "refused", "most_waiting", "objects", "stops")
        found = dict.fromkeys((*names, "carrying"), 0)
        for number in range(self.count):
            queue: TxQueueRow = self.queue_at(number)
            found["scans"] += queue.scans
            found["carrying"] += queue.work > 0
            found["work"] += queue.work
            found["sync_work"] += queue.sync_work
            found["refused"] += queue.refused
            found["most_waiting"] = max(found["most_waiting"], queue.most_waiting)
            found["objects"] += queue.objects
            found["stops"] += queue.stops
        return {**found, "interrupts": self.interrupts, "frames": self.frames}
