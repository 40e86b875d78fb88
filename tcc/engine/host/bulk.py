# cython: cdivision=True
"""A TCP upload that nothing limits but its own host, without the rest of TCP.

It keeps two super-packets in the host's queues (TCP small queues).  How long each is, TCP's
autosizing would derive from its pacing rate; here it is given, for kernels whose autosizing
`tcc.engine.tcp` does not have.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.events import Schedule
from tcc.engine.random import Random
from tcc.engine.sink import Endpoint, Sink

if not cython.compiled:
    from tcc.engine.constants import NIL
    from tcc.engine.tcp.constants import DATA, HEADER, SEGMENT

    START = 31


class BulkSender(Endpoint):
    """A greedy sender on the host that shapes.

    Args:
        schedule: the simulation's events.
        port: where its packets go.
        flow: the number of its flow.
        hashes: of the flow, its source, its destination.
        chance: decides about sizes.
        least: segments of the smallest super-packet.
        most: segments of the largest; sizes between are drawn evenly.
        tos: DSCP of its packets.
    """

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        flow: int,
        hashes: tuple[int, int, int],
        chance: Random,
        least: int,
        most: int,
        tos: int = 0,
    ) -> None:
        Endpoint.__init__(self, schedule, port, flow, hashes, tos, True)
        if not 0 < least <= most:
            raise ValueError("a super-packet has segments, the least first")
        self.chance = chance
        self.least = least
        self.most = most
        self.timer = schedule.new_timer(self, START)
        self.queued = self.sent = 0
        self.segments = most

    def open_at(self, begin: int) -> None:
        """Send from `begin` on (ns)."""
        self.schedule.arm_timer(self.timer, begin)

    def size(self) -> cython.int:
        """Return the segments of the next super-packet."""
        return self.least + self.chance.below(self.most - self.least + 1)

    def fill(self, now: cython.longlong) -> cython.void:
        """Send until two super-packets are in the host's queues."""
        packet: cython.int
        segments: cython.int
        while True:
            segments = self.segments
            if self.queued >= 2 * segments * SEGMENT:
                return
            packet = self.make(DATA, HEADER, segments * SEGMENT, segments, SEGMENT)
            if packet == NIL:
                return
            self.queued += segments * SEGMENT
            self.pool.rows[packet].sent_time = now
            self.pool.rows[packet].sequence = self.sent
            self.sent += 1
            self.segments = self.size()
            self.port.take(packet, now)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """It begins."""
        if what == START:
            self.fill(now)

    def departed(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """A packet has left the host."""
        self.queued -= self.pool.rows[packet].payload
        self.fill(now)

    def refused(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """The host's qdisc dropped a packet."""
        self.queued -= self.pool.rows[packet].payload
