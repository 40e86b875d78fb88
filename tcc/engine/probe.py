# cython: cdivision=True
"""Probes: packets at fixed times that the other side sends back.

A ping is an ICMP echo with 56 bytes of payload (`fping -p`); a voice probe is a UDP packet of
172 bytes every 20 ms (irtt, G.711), as flent's tests send them.  Each is measured by when it was
sent: one sent before the warm-up ended does not count.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.events import Schedule
from tcc.engine.measure import Histogram
from tcc.engine.sink import Endpoint, Sink

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    from tcc.engine.constants import NIL
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import PING, PONG


class Probe(Endpoint):
    """Sends probes and measures what comes back.

    Args:
        schedule: the simulation's events.
        port: where its packets go.
        flow: the number of its flow.
        hashes: of the flow, its source, its destination.
        interval: between probes (ns).
        payload: bytes after the ICMP or UDP header.
        tos: DSCP of the probes; the answers carry it too.
        local: its host is the one that shapes.
        keep: how many round trips to keep one by one, the first of those that count.
    """

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        flow: int,
        hashes: tuple[int, int, int],
        interval: int,
        payload: int = 56,
        tos: int = 0,
        local: bool = False,
        keep: int = 0,
    ) -> None:
        Endpoint.__init__(self, schedule, port, flow, hashes, tos, local)
        self.interval = interval
        self.payload = payload
        self.begin = self.end = self.measure_from = 0
        self.sent = self.answered = self.echoed = 0
        self.round_trip = Histogram()
        self.up = Histogram()
        self.down = Histogram()
        self.jitter_up = self.jitter_down = 0
        self.last_up = self.last_down = -1
        self.next_number = 0
        self.kept_count = 0
        self.room = keep
        self.timer = schedule.new_timer(self, 0)
        if not cython.compiled:
            self.kept = [0] * (keep + 1)
        else:
            self.kept = cython.cast(
                cython.pointer[cython.longlong], calloc(keep + 1, cython.sizeof(cython.longlong))
            )
            if not self.kept:
                raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.kept)

    def open_at(self, begin: int, end: int, measure_from: int = 0) -> None:
        """Send from `begin` until before `end`; what is sent from `measure_from` on counts."""
        self.begin = begin
        self.end = end
        self.measure_from = measure_from
        self.schedule.arm_timer(self.timer, begin)

    def measure(self, begin: int) -> None:
        """Count only probes sent from `begin` on (ns); forget those measured so far."""
        self.measure_from = begin
        self.sent = self.answered = 0
        self.kept_count = 0
        for histogram in (self.round_trip, self.up, self.down):
            histogram.clear()

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """It is time for the next probe."""
        packet: cython.int
        if now >= self.end:
            return
        packet = self.make(PING, 42, self.payload, 1, 0)
        if packet == NIL:
            return
        row: cython.pointer[Packet] = self.pool.rows
        row[packet].length = 42 + self.payload
        row[packet].sequence = self.next_number
        row[packet].sent_time = now
        row[packet].truesize = 768
        self.next_number += 1
        if now >= self.measure_from:
            self.sent += 1
        self.schedule.arm(self.timer, self.begin + self.next_number * self.interval)
        self.port.take(packet, now)

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """A probe has come back; `echo_time` says when the other side had it."""
        row: cython.pointer[Packet] = self.pool.rows
        there: cython.longlong
        back: cython.longlong
        apart: cython.longlong
        if row[packet].sent_time >= self.measure_from:
            there = row[packet].echo_time - row[packet].sent_time
            back = now - row[packet].echo_time
            self.answered += 1
            self.round_trip.add(there + back)
            self.up.add(there)
            self.down.add(back)
            if self.last_up >= 0:
                apart = there - self.last_up if there > self.last_up else self.last_up - there
                self.jitter_up += (apart - self.jitter_up) >> 4
                apart = back - self.last_down if back > self.last_down else self.last_down - back
                self.jitter_down += (apart - self.jitter_down) >> 4
            self.last_up = there
            self.last_down = back
            if self.kept_count < self.room:
                self.kept[self.kept_count] = there + back
                self.kept_count += 1
        self.pool.give(packet)

    def samples(self) -> list[int]:
        """Return the round trips that were kept, in the order of their coming (ns)."""
        return [self.kept[place] for place in range(self.kept_count)]


class Echo(Endpoint):
    """Sends every probe back as it came."""

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Send a probe back."""
        row: cython.pointer[Packet] = self.pool.rows
        row[packet].kind = PONG
        row[packet].echo_time = now
        row[packet].owner = self.address
        row[packet].flags = 0
        row[packet].flow_hash = self.flow_hash
        row[packet].source_hash = self.source_hash
        row[packet].destination_hash = self.destination_hash
        row[packet].tos = row[packet].tos & 0xFC
        self.port.take(packet, now)
