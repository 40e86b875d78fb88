# cython: cdivision=True
"""UDP at a constant rate, with a socket that has a send buffer.

A blocking socket sleeps while the memory of its packets in the host's queues reaches the send
buffer; the test comes before the packet, so one may overshoot (sock_alloc_send_pskb()).  A sender
that is late catches up (iperf2).  One that does not block goes without the datagrams that find no
room (EAGAIN).  With IP_RECVERR it is told of packets that the qdisc dropped as they came (ENOBUFS;
net_xmit_errno() makes no error of "slow down").

`pressure` is the socket back-pressure proposed for Linux in 2022 and never merged: whenever the
qdisc answers a packet of the socket with something else than success, what the buffer allows is
halved; each interval (in whole jiffies) doubles it again, and a sleeping sender notices that when
next some of its memory is freed.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.events import Schedule
from tcc.engine.measure import Histogram
from tcc.engine.sink import Endpoint, Sink

if not cython.compiled:
    from tcc.engine.constants import DROP, NEVER, NIL
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import JIFFY, PRESSED, UDP

    SEND = 1
    RELAX = 2

LEAST_BUFFER = 4608
DEFAULT_BUFFER = 212992  # net.core.wmem_default


class UdpSender(Endpoint):
    """A UDP sender.

    Args:
        schedule: the simulation's events.
        port: where its packets go.
        flow: the number of its flow.
        hashes: of the flow, its source, its destination.
        rate: of payload (bit/s).
        payload: bytes in each datagram.
        tos: DSCP of its packets.
        local: its host is the one that shapes: only then does its buffer fill.
        buffer: send buffer (bytes of memory).
        pressure: interval of socket back-pressure (ns); 0 for none.
        cost: time that one send takes (ns).
        latency: time from the freeing of memory until a sleeping sender runs (ns).
        blocking: it sleeps while its buffer is full; `again` counts the datagrams of one that
            does not.
        recverr: `no_buffers` counts the packets whose drop it was told of.
    """

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        flow: int,
        hashes: tuple[int, int, int],
        rate: int,
        payload: int = 1470,
        tos: int = 0,
        local: bool = False,
        buffer: int = DEFAULT_BUFFER,
        pressure: int = 0,
        cost: int = 0,
        latency: int = 0,
        blocking: bool = True,
        recverr: bool = False,
    ) -> None:
        Endpoint.__init__(self, schedule, port, flow, hashes, tos, local)
        if rate <= 0 or not 0 < payload <= 1472:
            raise ValueError("a UDP flow has a rate above 0 and 1 to 1472 bytes of payload")
        self.rate = rate
        self.payload = payload
        self.truesize = 2304 if payload > 600 else 768
        self.buffer = max(buffer, LEAST_BUFFER)
        self.pressure = pressure
        self.cost = cost
        self.latency = latency
        self.blocking = blocking
        self.recverr = recverr
        self.again = self.no_buffers = 0
        self.withheld = self.memory = 0
        self.begin = self.end = 0
        self.sent = self.refusals = 0
        self.blocked = False
        self.gap, self.gap_rest = divmod(payload * 8 * 1_000_000_000, rate)
        self.rest = 0
        self.due = 0
        self.timer = schedule.new_timer(self, SEND)
        self.relax_timer = schedule.new_timer(self, RELAX)

    def open_at(self, begin: int, end: int) -> None:
        """Send from `begin` until before `end` (ns)."""
        self.begin = self.due = begin
        self.end = end
        self.schedule.arm_timer(self.timer, begin)

    def full(self) -> cython.bint:
        """Answer whether the socket sleeps."""
        allowed: cython.longlong = self.buffer - self.withheld
        if allowed < 4608:
            allowed = 4608
        return self.local and self.memory >= allowed

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """It is time to send, or back-pressure relaxes."""
        if what == SEND:
            self.send(now)
            return
        if what == PRESSED:
            if self.recverr and argument == DROP:
                self.no_buffers += 1
            self.press(now)
            return
        if self.withheld > self.buffer - 4608:
            self.withheld = self.buffer - 4608
        self.withheld = 2 * self.withheld - self.buffer
        if self.withheld > 0:
            self.schedule.arm(self.relax_timer, now - now % JIFFY + self.pressure)
        else:
            self.withheld = 0

    def send(self, now: cython.longlong) -> cython.void:
        """Send a datagram, and set the time of the next."""
        packet: cython.int
        if now >= self.end:
            return
        if self.full():
            if self.blocking:
                self.blocked = True
            else:
                self.again += 1
                self.follow(now)
            return
        packet = self.make(UDP, 42, self.payload, 1, 0)
        if packet == NIL:
            return
        self.pool.rows[packet].sequence = self.sent
        self.pool.rows[packet].sent_time = now
        self.pool.rows[packet].truesize = self.truesize
        self.sent += 1
        if self.local:
            self.memory += self.truesize
        self.follow(now)
        self.port.take(packet, now)

    def follow(self, now: cython.longlong) -> cython.void:
        """Set the time of the next datagram."""
        self.due += self.gap
        self.rest += self.gap_rest
        if self.rest >= self.rate:
            self.rest -= self.rate
            self.due += 1
        self.schedule.arm(self.timer, self.due if self.due > now + self.cost else now + self.cost)

    def release(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """The host has freed a packet's memory."""
        self.memory -= self.truesize
        if self.blocked and not self.full():
            self.blocked = False
            self.schedule.arm(self.timer, now + self.latency)

    def press(self, now: cython.longlong) -> cython.void:
        """The host's qdisc did not answer a packet with success, though it may have kept it."""
        if not self.pressure:
            return
        if self.withheld > self.buffer - 4608:
            self.withheld = self.buffer - 4608
        self.withheld += (self.buffer - self.withheld) >> 1
        self.schedule.arm(self.relax_timer, now - now % JIFFY + self.pressure)

    def refused(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """The host's qdisc dropped a packet."""
        self.refusals += 1
        self.release(packet, now)

    def departed(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """A packet has left the host."""
        self.release(packet, now)


class UdpReceiver(Endpoint):
    """A UDP receiver: counts what comes, its delay and its jitter (RFC 3550 6.4.1)."""

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        flow: int,
        hashes: tuple[int, int, int],
        tos: int = 0,
        local: bool = False,
    ) -> None:
        Endpoint.__init__(self, schedule, port, flow, hashes, tos, local)
        self.measure_from = 0
        self.bytes = self.arrived = 0
        self.first = NEVER
        self.highest = -1
        self.jitter = 0
        self.last_delay = -1
        self.delay = Histogram()

    def measure(self, begin: int) -> None:
        """Measure only datagrams sent from `begin` on (ns)."""
        self.measure_from = begin
        self.arrived = 0
        self.delay.clear()

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Take a datagram."""
        row: cython.pointer[Packet] = self.pool.rows
        delay: cython.longlong = now - row[packet].sent_time
        apart: cython.longlong
        self.bytes += row[packet].payload
        if row[packet].sent_time >= self.measure_from:
            self.arrived += 1
            self.delay.add(delay)
            if self.last_delay >= 0:
                apart = delay - self.last_delay
                if apart < 0:
                    apart = -apart
                self.jitter += (apart - self.jitter) >> 4
            self.last_delay = delay
        if row[packet].sequence > self.highest:
            self.highest = row[packet].sequence
        self.pool.give(packet)
