"""What packets are handed to: interfaces, wires, sockets."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.events import Handler, Schedule

if not cython.compiled:
    from tcc.engine.constants import IPV4, NIL
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import HEAD, LOCAL

# skb->priority by the old TOS bits (rt_tos2priority(), net/ipv4/route.c).
PRIORITIES = (0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4)


class Sink(Handler):
    """Something that takes packets; by itself it gives them back to the pool.

    Args:
        schedule: the simulation's events, which get to know it.
    """

    def __init__(self, schedule: Schedule) -> None:
        Handler.__init__(self)
        self.schedule = schedule
        self.pool = schedule.pool
        schedule.add(self)

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Take over a packet at `now` (ns)."""
        self.pool.give(packet)

    def refused(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Hear that a local qdisc dropped a packet of this socket; the packet is not yours."""

    def departed(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Hear that a packet of this socket has left the host; the packet is not yours."""


class Endpoint(Sink):
    """A socket: it makes packets of one flow in one direction, and takes those of the other.

    Args:
        schedule: the simulation's events.
        port: where its packets go.
        flow: the number of its flow.
        hashes: 32-bit hashes of the flow, its source and its destination, as the qdiscs on its
            way see them.
        tos: DSCP (upper six bits) and ECN of its packets.
        local: its host is the one that shapes, so qdiscs hold its memory and refuse to its face.
    """

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        flow: int,
        hashes: tuple[int, int, int],
        tos: int = 0,
        local: bool = False,
    ) -> None:
        Sink.__init__(self, schedule)
        self.port = port
        self.flow = flow
        self.flow_hash, self.source_hash, self.destination_hash = hashes
        self.tos = tos
        self.priority = PRIORITIES[(tos & 0x1E) >> 1]
        self.local = local

    def make(
        self,
        kind: cython.int,
        header: cython.int,
        payload: cython.int,
        segments: cython.int,
        segment: cython.int,
    ) -> cython.int:
        """Return a new packet; NIL, and the simulation stops, if there is no memory.

        Args:
            kind: the owner's word for it.
            header: bytes before the payload, from the MAC header on.
            payload: bytes of payload in all its segments.
            segments: how many segments it is; more than one make a super-packet.
            segment: bytes of payload in a full segment.
        """
        packet: cython.int = self.pool.take()
        if packet == NIL:
            self.schedule.stopped = True
            return NIL
        row: cython.pointer[Packet] = self.pool.rows
        row[packet].length = payload + header * segments
        row[packet].kind = kind
        row[packet].payload = payload
        row[packet].header_length = header
        row[packet].network_offset = 14
        row[packet].transport_offset = 34
        row[packet].gso_segs = segments
        row[packet].truesize = payload + HEAD
        if segments > 1:
            row[packet].gso_size = segment
        row[packet].flow_hash = self.flow_hash
        row[packet].source_hash = self.source_hash
        row[packet].destination_hash = self.destination_hash
        row[packet].tos = self.tos
        row[packet].priority = self.priority
        row[packet].protocol = IPV4
        row[packet].owner = self.address
        row[packet].flow = self.flow
        row[packet].flags = LOCAL if self.local else 0
        return packet
