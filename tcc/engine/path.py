# cython: cdivision=True
"""What lies between sockets: interfaces with qdiscs, wires with delay, and the hosts' switches."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.ref import PyObject
    from cython.cimports.libc.stdlib import free, realloc
else:
    from tcc.engine.constants import ACK_FILTER, GSO_SPLIT, NEVER, NIL, OK
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import CUT, DATA, LOCAL, PRESSED, PURE_ACK, UDP
    from tcc.engine.tcp.headers import write_headers

    WAKE = 1
    SENT = 2
    ARRIVED = 3

from tcc.engine.events import Schedule
from tcc.engine.measure import Histogram
from tcc.engine.queue_disc import QueueDisc
from tcc.engine.random import Random
from tcc.engine.sink import Sink
from tcc.engine.tcp.options import OptionPool


class Switch(Sink):
    """Hands each packet to the socket of its flow."""

    def __init__(self, schedule: Schedule) -> None:
        Sink.__init__(self, schedule)
        self.size = 0
        self.kept: list[Sink] = []
        if not cython.compiled:
            self.ends: list[Sink] = []

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.ends)

    def connect(self, end: Sink) -> None:
        """Add the socket of the next flow."""
        place: cython.int = self.size
        if cython.compiled:
            ends: cython.pointer[cython.pointer[PyObject]] = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                realloc(self.ends, (place + 1) * cython.sizeof(cython.size_t)),
            )
            if not ends:
                raise MemoryError
            ends[place] = cython.cast(cython.pointer[PyObject], end)
            self.ends = ends
        else:
            self.ends.append(end)
        self.kept.append(end)
        self.size = place + 1

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Hand a packet over."""
        flow: cython.int = self.pool.rows[packet].flow
        if cython.compiled:
            cython.cast(Sink, self.ends[flow]).take(packet, now)
        else:
            self.ends[flow].take(packet, now)


class Wire(Sink):
    """Carries packets with a constant delay for each flow; may lose some, may delay more.

    Args:
        schedule: the simulation's events.
        following: where packets come out.
        random: decides about loss and jitter.
        options: where SACK options lie, to free those of lost acknowledgements.
        loss: of 2**32 packets, how many are lost.
        jitter: most extra delay (ns), drawn evenly; packets of one delay keep their order.
        every: lose each so-manieth packet, besides; 0 for none.
    """

    def __init__(
        self,
        schedule: Schedule,
        following: Sink,
        random: Random,
        options: OptionPool,
        loss: int = 0,
        jitter: int = 0,
        every: int = 0,
    ) -> None:
        Sink.__init__(self, schedule)
        self.following = following
        self.random = random
        self.options = options
        self.loss = loss
        self.jitter = jitter
        self.every = every
        self.lost = self.carried = 0
        self.size = 0
        self.by_delay: dict[int, int] = {}
        if not cython.compiled:
            self.lines: list[int] = []
            self.delays: list[int] = []

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.lines)
            free(self.delays)

    def line_of(self, delay: int) -> int:
        """Return the delay line that serves a delay, making it if need be; NIL for none."""
        if delay == 0 and self.jitter == 0:
            return NIL
        if delay not in self.by_delay:
            self.by_delay[delay] = self.schedule.new_line(self, ARRIVED)
        return self.by_delay[delay]

    def connect(self, delay: int) -> None:
        """Add the next flow, with its delay (ns)."""
        place: cython.int = self.size
        line: cython.int = self.line_of(delay)
        if cython.compiled:
            lines: cython.pointer[cython.int] = cython.cast(
                cython.pointer[cython.int],
                realloc(self.lines, (place + 1) * cython.sizeof(cython.int)),
            )
            if not lines:
                raise MemoryError
            lines[place] = line
            self.lines = lines
            delays: cython.pointer[cython.longlong] = cython.cast(
                cython.pointer[cython.longlong],
                realloc(self.delays, (place + 1) * cython.sizeof(cython.longlong)),
            )
            if not delays:
                raise MemoryError
            delays[place] = delay
            self.delays = delays
        else:
            self.lines.append(line)
            self.delays.append(delay)
        self.size = place + 1

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Carry a packet."""
        flow: cython.int = self.pool.rows[packet].flow
        line: cython.int = self.lines[flow]
        due: cython.longlong = now + self.delays[flow]
        self.carried += 1
        if (self.every and self.carried % self.every == 0) or (
            self.loss and self.random.u32() < self.loss
        ):
            self.lost += 1
            self.lose(packet)
            return
        if line == NIL:
            self.following.take(packet, now)
            return
        if self.jitter:
            due += self.random.below(self.jitter + 1)
        self.schedule.send(line, packet, due)

    def lose(self, packet: cython.int) -> cython.void:
        """Lose a packet."""
        if self.pool.rows[packet].kind == PURE_ACK and self.pool.rows[packet].id:
            self.options.give(self.pool.rows[packet].id - 1)
        self.pool.give(packet)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """A packet has arrived."""
        self.following.take(argument, now)


class Interface(Sink):
    """A network interface: a qdisc, and a device that sends at a rate or at once.

    Args:
        schedule: the simulation's events.
        qdisc: its root qdisc.
        following: where packets go that were sent.
        options: where SACK options lie, to free those of dropped acknowledgements.
        rate: of the device (bit/s); 0 for one that sends at once, as veth.
        framing: bytes that the device adds to each packet on the wire.
        veil: hash that stands for all hosts behind NAT, where the qdisc cannot see through it.
        veil_source: hide the sources; otherwise, if there is a veil, the destinations.

    Attributes:
        due_first: a packet that is due leaves before what arrives at that very moment is queued, as
            where a machine that takes some time, however short, brings what arrives.
    """

    def __init__(
        self,
        schedule: Schedule,
        qdisc: QueueDisc,
        following: Sink,
        options: OptionPool,
        rate: int = 0,
        framing: int = 24,
        veil: int | None = None,
        veil_source: bool = True,
    ) -> None:
        Sink.__init__(self, schedule)
        self.due_first = False
        self.qdisc = qdisc
        self.following = following
        self.options = options
        self.rate = rate
        self.framing = framing
        self.veil = veil or 0
        self.veil_source = veil is not None and veil_source
        self.veil_destination = veil is not None and not veil_source
        self.reads_headers = bool(getattr(qdisc, "ack_filter", 0))
        self.sending = NIL
        self.timer = schedule.new_timer(self, WAKE)
        self.sent_timer = schedule.new_timer(self, SENT)
        self.sent = self.sent_bytes = self.framed_bytes = 0
        self.inside = False
        self.size = 0
        self.sojourns: list[Histogram] = []
        if not cython.compiled:
            self.drops: list[int] = []
            self.groups: list[int] = []
            self.histograms: list[Histogram] = []

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.drops)
            free(self.groups)
            free(self.histograms)

    def sojourn(self) -> Histogram:
        """Return the time in the queue of all flows."""
        whole = Histogram()
        for part in self.sojourns:
            whole.merge(part)
        return whole

    def group(self) -> int:
        """Make a group of flows whose time in the queue is measured apart; return its number."""
        histogram = Histogram()
        number: cython.int = len(self.sojourns)
        if cython.compiled:
            histograms: cython.pointer[cython.pointer[PyObject]] = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                realloc(self.histograms, (number + 1) * cython.sizeof(cython.size_t)),
            )
            if not histograms:
                raise MemoryError
            histograms[number] = cython.cast(cython.pointer[PyObject], histogram)
            self.histograms = histograms
        else:
            self.histograms.append(histogram)
        self.sojourns.append(histogram)
        return number

    def connect(self, group: int) -> None:
        """Add the next flow, whose drops are counted apart, and its group."""
        place: cython.int = self.size
        if cython.compiled:
            drops: cython.pointer[cython.longlong] = cython.cast(
                cython.pointer[cython.longlong],
                realloc(self.drops, (place + 1) * cython.sizeof(cython.longlong)),
            )
            if not drops:
                raise MemoryError
            drops[place] = 0
            self.drops = drops
            groups: cython.pointer[cython.int] = cython.cast(
                cython.pointer[cython.int],
                realloc(self.groups, (place + 1) * cython.sizeof(cython.int)),
            )
            if not groups:
                raise MemoryError
            groups[place] = group
            self.groups = groups
        else:
            self.drops.append(0)
            self.groups.append(group)
        self.size = place + 1

    def dropped(self, flow: int) -> int:
        """Return how many packets of a flow the qdisc has dropped."""
        return self.drops[flow]

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Queue a packet, and send what may be sent."""
        verdict: cython.int
        if self.veil_source:
            self.pool.rows[packet].source_hash = self.veil
        elif self.veil_destination:
            self.pool.rows[packet].destination_hash = self.veil
        if (
            self.reads_headers
            and self.pool.rows[packet].kind == PURE_ACK
            and self.pool.rows[packet].raw == NIL
        ):
            write_headers(self.pool, self.options, packet)
        verdict = self.qdisc.do_enqueue(packet, now)
        if verdict != OK:
            self.press(packet, verdict, now)
        if self.pool.drops_waiting:
            self.drain(now)
        if self.sending == NIL and not self.inside:
            self.run(now)

    def press(self, packet: cython.int, verdict: cython.int, now: cython.longlong) -> cython.void:
        """Tell a socket on this host that the qdisc did not take its data as they were."""
        kind: cython.int = self.pool.rows[packet].kind
        if kind in (UDP, DATA):
            self.tell(packet, PRESSED, verdict, now)

    def tell(
        self, packet: cython.int, what: cython.int, argument: cython.int, now: cython.longlong
    ) -> cython.void:
        """Tell the socket of a packet, if it is on this host."""
        owner: cython.int = self.pool.rows[packet].owner
        if self.pool.rows[packet].flags & LOCAL:
            if cython.compiled:
                cython.cast(Sink, self.schedule.handlers[owner]).handle(what, argument, now)
            else:
                self.schedule.handlers[owner].handle(what, argument, now)

    def drain(self, now: cython.longlong) -> cython.void:
        """Tell the sockets of dropped packets on this host, and free the packets."""
        packet: cython.int = self.pool.next_dropped()
        owner: cython.int
        while packet != NIL:
            owner = self.pool.rows[packet].owner
            if self.pool.rows[packet].reason != GSO_SPLIT:
                if self.pool.rows[packet].reason != ACK_FILTER:
                    self.drops[self.pool.rows[packet].flow] += 1
                if self.pool.rows[packet].flags & LOCAL:
                    if cython.compiled:
                        cython.cast(Sink, self.schedule.handlers[owner]).refused(packet, now)
                    else:
                        self.schedule.handlers[owner].refused(packet, now)  # type: ignore[attr-defined]
                if self.pool.rows[packet].kind == PURE_ACK and self.pool.rows[packet].id:
                    self.options.give(self.pool.rows[packet].id - 1)
            elif self.pool.rows[packet].kind == DATA:
                self.tell(packet, CUT, self.pool.rows[packet].gso_segs, now)
            self.pool.give(packet)
            packet = self.pool.next_dropped()

    def run(self, now: cython.longlong) -> cython.void:
        """Send as long as the qdisc gives and the device takes."""
        packet: cython.int
        when: cython.longlong
        self.inside = True
        while self.sending == NIL:
            packet = self.qdisc.do_dequeue(now)
            if self.pool.drops_waiting:
                self.drain(now)
            if packet == NIL:
                break
            self.leave(packet, now)
        self.inside = False
        when = self.qdisc.wakeup
        if when != NEVER:
            self.qdisc.wakeup = NEVER
            if self.due_first:
                self.schedule.place(self.timer, when if when > now else now, 0)
            else:
                self.schedule.arm(self.timer, when)

    def leave(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Give a packet to the device."""
        row: cython.pointer[Packet] = self.pool.rows
        bits: cython.longlong
        waited: cython.longlong = now - row[packet].enqueue_time
        group: cython.int = self.groups[row[packet].flow]
        if cython.compiled:
            cython.cast(Histogram, self.histograms[group]).add(waited)
        else:
            self.histograms[group].add(waited)
        self.sent += 1
        self.sent_bytes += row[packet].length
        # A qdisc that shapes nothing, such as a FIFO, counts no framing: its bytes are the frame's.
        self.framed_bytes += row[packet].adjusted or row[packet].length
        if self.rate:
            segments: cython.int = row[packet].gso_segs if row[packet].gso_segs else 1
            bits = (row[packet].length + self.framing * segments) * 8
            self.sending = packet
            self.schedule.arm(self.sent_timer, now + bits * 1000000000 // self.rate)
            return
        self.deliver(packet, now)

    def deliver(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """A packet has left."""
        row: cython.pointer[Packet] = self.pool.rows
        owner: cython.int = row[packet].owner
        if row[packet].flags & LOCAL:
            if cython.compiled:
                cython.cast(Sink, self.schedule.handlers[owner]).departed(packet, now)
            else:
                self.schedule.handlers[owner].departed(packet, now)  # type: ignore[attr-defined]
            row = self.pool.rows
            row[packet].flags &= ~LOCAL  # what happens further on is the network's
        self.following.take(packet, now)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """The qdisc's timer, or the end of a transmission."""
        packet: cython.int
        if what == SENT:
            packet = self.sending
            self.sending = NIL
            self.inside = True
            self.deliver(packet, now)
            self.inside = False
        if self.sending == NIL:
            self.run(now)

    def clear(self) -> None:
        """Forget what was measured."""
        place: cython.int
        for histogram in self.sojourns:
            histogram.clear()
        self.sent = self.sent_bytes = self.framed_bytes = 0
        for place in range(self.size):
            self.drops[place] = 0
