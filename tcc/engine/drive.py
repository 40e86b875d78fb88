# cython: cdivision=True
"""Drive a qdisc, or the event loop, as fast as it goes: for benchmarks and memory checks.

Each step of `Load` offers one packet of a flow drawn at random and asks for one; time advances by
a fixed gap, so that the shaper is ready when the next packet is asked for.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    from tcc.engine.constants import IPV4, NIL
    from tcc.engine.rows import PacketRow

from typing import TYPE_CHECKING

from tcc.engine.events import Handler, Schedule
from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc

if TYPE_CHECKING:
    from collections.abc import Sequence

M32 = 0xFFFFFFFF
STEP = 2654435761
HOST_STEP = 2246822519
MULTIPLIER = 1664525


class Load:
    """Packets of many flows for one qdisc.

    Args:
        qdisc: what takes them.
        pool: where they are.
        flows: how many flows.
        per_host: flows that share a source and a destination host.
        tos: TOS bytes, dealt out to the flows in turn.
        length: of a packet, in bytes.
    """

    def __init__(
        self,
        qdisc: QueueDisc,
        pool: PacketPool,
        flows: int,
        per_host: int = 1,
        tos: Sequence[int] = (0,),
        length: int = 1514,
    ) -> None:
        flow: cython.int
        self.qdisc = qdisc
        self.pool = pool
        self.flows = flows
        self.length = length
        self.state = 1
        self.now = 1_000_000_000
        self.sent = 0
        self.delivered = 0
        self.lost = 0
        if not cython.compiled:
            self.hashes = [0] * flows
            self.hosts = [0] * flows
            self.classes = [0] * flows
        else:
            self.hashes = cython.cast(cython.pointer[cython.uint], calloc(flows, 4))
            self.hosts = cython.cast(cython.pointer[cython.uint], calloc(flows, 4))
            self.classes = cython.cast(cython.pointer[cython.uchar], calloc(flows, 1))
            if not self.hashes or not self.hosts or not self.classes:
                raise MemoryError
        for flow in range(flows):
            self.hashes[flow] = ((flow + 1) * STEP) & M32
            self.hosts[flow] = ((flow // per_host + 1) * HOST_STEP) & M32
            self.classes[flow] = tos[flow % len(tos)]

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.hashes)
            free(self.hosts)
            free(self.classes)

    def offer(self) -> cython.void:
        """Offer one packet of a flow drawn at random."""
        packet: cython.int = self.pool.take()
        flow: cython.int
        row: PacketRow
        self.state = (self.state * MULTIPLIER + 1013904223) & M32
        flow = (self.state >> 8) % self.flows
        if cython.compiled:
            row = cython.address(self.pool.rows[packet])
        else:
            row = self.pool.rows[packet]
        row.length = self.length
        row.truesize = 2304
        row.flow_hash = self.hashes[flow]
        row.source_hash = self.hosts[flow]
        row.destination_hash = self.hosts[flow]
        row.tos = self.classes[flow]
        row.protocol = IPV4
        row.network_offset = 14
        self.sent += 1
        self.qdisc.do_enqueue(packet, self.now)

    def step(self, gap: cython.longlong) -> cython.void:
        """Offer a packet, take one, let time pass."""
        packet: cython.int
        self.offer()
        packet = self.qdisc.do_dequeue(self.now)
        if packet != NIL:
            self.delivered += 1
            self.pool.give(packet)
        while self.pool.drops_waiting > 0:
            self.lost += 1
            self.pool.give(self.pool.next_dropped())
        self.now += gap

    def loop(self, steps: cython.longlong, gap: cython.longlong) -> cython.void:
        """Do many steps."""
        while steps > 0:
            self.step(gap)
            steps -= 1

    def fill(self, packets: int) -> None:
        """Offer packets without asking for any."""
        for _ in range(packets):
            self.offer()

    def run(self, steps: int, gap: int) -> None:
        """Do `steps` steps, `gap` ns apart."""
        count: cython.longlong = steps
        pause: cython.longlong = gap
        with cython.nogil:
            self.loop(count, pause)


class Relay(Handler):
    """Sends every packet that arrives round again, re-arming a timer each time.

    Args:
        schedule: whose events it takes.
        packets: that go round.
        delay: how long one round takes, in ns.
    """

    def __init__(self, schedule: Schedule, pool: PacketPool, packets: int, delay: int) -> None:
        Handler.__init__(self)
        schedule.add(self)
        self.schedule = schedule
        self.delay = delay
        self.passed = 0
        self.line = schedule.new_line(self, 0)
        self.timer = schedule.new_timer(self, 1)
        for number in range(packets):
            schedule.send_packet(self.line, pool.new({}), number * delay // packets)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """Send the packet round again and put the timer off."""
        if what == 0:
            self.passed += 1
            self.schedule.send(self.line, argument, now + self.delay)
            self.schedule.arm(self.timer, now + 2 * self.delay)
