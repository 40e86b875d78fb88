# cython: cdivision=True
"""A device whose qdisc many processors use at once: what its root lock lets through.

Everything under the root lock is serial.  `baseline`: each sender waits for the lock and enqueues
its own packet, the lock changes hands twice.  `deferring` (kernels with the lock-free list):
senders leave packets on a list; the one that found it empty takes the lock and enqueues all of
them, and takes turns with whoever runs the qdisc, which sends up to `bulk` packets a turn.

Costs are of the lock's time; freeing packets outside the lock costs none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    from tcc.engine.constants import IPV4, NEVER, NIL
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import PURE_ACK

    TURN = 21
    FEED = 22
    OWNER = 0
    RUNNER = 1
    MOST_AT_ONCE = 64

from tcc.engine.host.one_round import OneRound
from tcc.engine.measure import Histogram
from tcc.engine.path import Interface
from tcc.engine.queue_disc import QueueDisc
from tcc.engine.random import Random
from tcc.engine.sink import Sink

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tcc.engine.events import Schedule
    from tcc.engine.tcp.options import OptionPool

QUEUE_LIMIT = 10240  # packets: what CAKE calls its limit


@dataclass(frozen=True, slots=True)
class LockCosts:
    """What the root lock is held for (ns).

    Attributes:
        deferring: packets go through the lock-free list.
        cap: packets on the list at most; in the baseline, senders that wait at most.
        enqueue: one packet enqueued.
        send: one packet dequeued and sent.
        drop: one packet dropped by a dequeue.
        overflow: one packet dropped by an enqueue, beside `enqueue`.
        hand_off: the lock changing hands, twice a packet, in the baseline.
        bulk: packets sent in one turn.
    """

    deferring: bool
    cap: int
    enqueue: int
    send: int
    drop: int
    overflow: int = 0
    hand_off: int = 0
    bulk: int = 8


def costs_of(host: Mapping[str, Any], kernel: Mapping[str, Any], cap: int = 0) -> LockCosts:
    """Return the costs of a kernel profile on a host profile.

    Args:
        host: with `ns`, `host_scale`, `producers`.
        kernel: with `contention`, `dequeue_drop`, `defer_cap`.
        cap: of the deferred list, instead of the kernel's; 0 for the kernel's.
    """
    spent = {name: round(value * host.get("host_scale", 1)) for name, value in host["ns"].items()}
    deferring = kernel["contention"] == "llist"
    deferred = kernel["dequeue_drop"] == "deferred"
    limit = kernel["defer_cap"]
    if not deferring:
        limit = host["producers"]
    elif not isinstance(limit, int):
        limit = QUEUE_LIMIT
    return LockCosts(
        deferring,
        cap or limit,
        spent["enqueue"],
        spent["dequeue_and_send"],
        spent["drop_deferred_lock_part" if deferred else "drop_under_lock_total"],
        spent["overflow_drop"] if deferring else 0,
        0 if deferring else spent["contended_lock_handoff"],
        host["bulk_packets_per_lock_cycle"],
    )


class LockedDevice(Interface):
    """An interface whose qdisc is behind a contended lock.

    Args:
        schedule: the simulation's events.
        qdisc: the root qdisc.
        following: where packets go that were sent.
        options: where SACK options lie, to free those of dropped acknowledgements.
        costs: what the lock is held for.
        veil: hash that stands for all hosts behind NAT, where the qdisc cannot see through it.
        one_round: what keeps the qdisc's flows in one round; None to leave them to it.
    """

    def __init__(
        self,
        schedule: Schedule,
        qdisc: QueueDisc,
        following: Sink,
        options: OptionPool,
        costs: LockCosts,
        veil: int | None = None,
        one_round: OneRound | None = None,
    ) -> None:
        Interface.__init__(self, schedule, qdisc, following, options, veil=veil)
        self.round = one_round
        self.deferring = costs.deferring
        self.cap = costs.cap
        self.bulk = costs.bulk
        self.enqueue_cost = costs.enqueue
        self.send_cost = costs.send
        self.drop_cost = costs.drop
        self.overflow_cost = costs.overflow
        self.hand_off = costs.hand_off
        self.turn_timer = schedule.new_timer(self, TURN)
        self.turn = OWNER
        self.working = False
        self.first = self.last = NIL
        self.waiting = self.most_waiting = 0
        self.turned_away = self.batches = 0
        self.enqueue_work = self.send_work = self.drop_work = 0

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """A sender has a packet."""
        if self.waiting >= self.cap:
            self.turned_away += 1
            if self.pool.rows[packet].kind == PURE_ACK and self.pool.rows[packet].id:
                self.options.give(self.pool.rows[packet].id - 1)
            self.pool.give(packet)
            return
        if self.veil_source:
            self.pool.rows[packet].source_hash = self.veil
        self.pool.rows[packet].next = NIL
        if self.first == NIL:
            self.first = packet
        else:
            self.pool.rows[self.last].next = packet
        self.last = packet
        self.waiting += 1
        if self.waiting > self.most_waiting:
            self.most_waiting = self.waiting
        if not self.working:
            self.work(now)

    def reap(self, now: cython.longlong) -> cython.longlong:
        """Free the packets that the qdisc dropped; return how many they were."""
        count: cython.longlong = self.pool.drops_waiting
        if count:
            self.drain(now)
        return count

    def enqueue_batch(self, now: cython.longlong) -> cython.longlong:
        """Enqueue what waits (one packet, in the baseline); return when the lock is free."""
        packet: cython.int = self.first
        following: cython.int
        dropped: cython.longlong
        cost: cython.longlong = self.enqueue_cost
        if self.deferring:
            self.first = self.last = NIL
            self.waiting = 0
        else:
            self.first = self.pool.rows[packet].next
            if self.first == NIL:
                self.last = NIL
            self.waiting -= 1
            self.pool.rows[packet].next = NIL
            cost += 2 * self.hand_off
        self.batches += 1
        while packet != NIL:
            following = self.pool.rows[packet].next
            self.pool.rows[packet].next = NIL
            now += cost
            self.enqueue_work += cost
            self.qdisc.do_enqueue(packet, now)
            if self.round is not None:
                self.round.join()
            if self.pool.drops_waiting:
                dropped = self.reap(now) * self.overflow_cost
                self.drop_work += dropped
                now += dropped
            packet = following
        return now

    def run_queue(self, now: cython.longlong) -> cython.longlong:
        """Send a turn's worth of packets; return when the lock is free."""
        packet: cython.int
        _: cython.int
        dropped: cython.longlong
        row: cython.pointer[Packet]
        waited: cython.longlong
        group: cython.int
        for _ in range(self.bulk):
            packet = self.qdisc.do_dequeue(now)
            dropped = self.reap(now) * self.drop_cost
            self.drop_work += dropped
            now += dropped
            if packet == NIL:
                break
            now += self.send_cost
            self.send_work += self.send_cost
            row = self.pool.rows
            waited = now - row[packet].enqueue_time
            group = self.groups[row[packet].flow]
            if cython.compiled:
                cython.cast(Histogram, self.histograms[group]).add(waited)
            else:
                self.histograms[group].add(waited)
            self.sent += 1
            self.sent_bytes += row[packet].length
            self.framed_bytes += row[packet].adjusted
            self.deliver(packet, now)
        return now

    def work(self, now: cython.longlong) -> cython.void:
        """Let whose turn it is have the lock, until it is free again."""
        when: cython.longlong
        free: cython.longlong
        self.working = True
        if self.first != NIL and (self.turn == OWNER or self.qdisc.qlen == 0):
            free = self.enqueue_batch(now)
            self.turn = RUNNER
        else:
            free = self.run_queue(now)
            self.turn = OWNER
        when = self.qdisc.wakeup
        self.qdisc.wakeup = NEVER
        if when != NEVER:
            self.schedule.arm(self.timer, when)
            if free == now and self.first == NIL:  # the shaper holds everything back
                self.working = False
                return
        self.schedule.arm(self.turn_timer, free)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """The lock is free, or the qdisc's timer."""
        if what == TURN:
            self.working = False
        if not self.working and (self.first != NIL or self.qdisc.qlen > 0):
            self.work(now)

    def clear(self) -> None:
        """Forget what was measured."""
        Interface.clear(self)
        self.turned_away = self.batches = 0
        self.most_waiting = self.waiting
        self.enqueue_work = self.send_work = self.drop_work = 0

    def counters(self) -> dict[str, int]:
        """Return what happened at the lock while measured: ns of its time, packets."""
        return {
            "turned_away": self.turned_away,
            "batches": self.batches,
            "most_waiting": self.most_waiting,
            "enqueue_work": self.enqueue_work,
            "send_work": self.send_work,
            "drop_work": self.drop_work,
        }


class Flood(Sink):
    """Packets of many flows at a rate: a forwarded UDP flood.

    The flows take turns, as those of a generator do that steps through its ports.

    Args:
        schedule: the simulation's events.
        port: where its packets go.
        hashes: of the flows.
        rate: packets/s in all.
        length: of a packet, in bytes.
        truesize: memory that a packet takes.
        spread: each second's rate differs from `rate` by up to this, in thousandths; 0: never.
        chance: decides by how much, and which flow is next if they are drawn.
        drawn: the flow of each packet is drawn, all being equally likely.
    """

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        hashes: Sequence[int],
        rate: int,
        length: int = 64,
        truesize: int = 768,
        spread: int = 0,
        chance: Random | None = None,
        drawn: bool = False,
    ) -> None:
        number: cython.int
        Sink.__init__(self, schedule)
        if rate <= 0 or not hashes:
            raise ValueError("a flood has flows and a rate above 0")
        self.port = port
        self.flows = len(hashes)
        self.mean_rate = self.rate = rate
        self.length = length
        self.truesize = truesize
        self.spread = spread
        self.chance = chance or Random(1, 0)
        self.drawn = drawn
        self.turn = self.sent = 0
        self.timer = schedule.new_timer(self, FEED)
        self.gap, self.rest = divmod(1_000_000_000, rate)
        self.fraction = self.second = 0
        if not cython.compiled:
            self.hashes: list[int] = list(hashes)
        else:
            self.hashes = cython.cast(
                cython.pointer[cython.uint], calloc(self.flows, cython.sizeof(cython.uint))
            )
            if not self.hashes:
                raise MemoryError
            for number in range(self.flows):
                self.hashes[number] = hashes[number]

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.hashes)

    def open_at(self, begin: int) -> None:
        """Send from `begin` on (ns)."""
        self.second = begin + 1_000_000_000
        self.schedule.arm_timer(self.timer, begin)

    def draw(self, now: cython.longlong) -> cython.void:
        """Choose the rate of the next second."""
        width: cython.longlong = self.mean_rate * self.spread // 1000
        self.second = now + 1000000000
        self.rate = self.mean_rate - width + self.chance.below(2 * width + 1)
        self.gap = 1000000000 // self.rate
        self.rest = 1000000000 % self.rate
        self.fraction = 0

    def emit(self, now: cython.longlong) -> cython.void:
        """Send a packet."""
        packet: cython.int = self.pool.take()
        if packet == NIL:
            self.schedule.stopped = True
            return
        row: cython.pointer[Packet] = self.pool.rows
        row[packet].length = self.length
        row[packet].truesize = self.truesize
        row[packet].network_offset = 14
        row[packet].transport_offset = 34
        row[packet].header_length = 42
        row[packet].protocol = IPV4
        if self.drawn:
            self.turn = self.chance.below(self.flows)
        row[packet].flow_hash = self.hashes[self.turn]
        self.turn += 1
        if self.turn == self.flows:
            self.turn = 0
        row[packet].source_hash = row[packet].flow_hash
        row[packet].destination_hash = row[packet].flow_hash
        row[packet].gso_segs = 1
        row[packet].owner = self.address
        self.sent += 1
        self.port.take(packet, now)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """It is time for a packet; those due before anything else happens are sent at once."""
        _: cython.int
        for _ in range(MOST_AT_ONCE):
            if self.spread and now >= self.second:
                self.draw(now)
            self.emit(now)
            now += self.gap
            self.fraction += self.rest
            if self.fraction >= self.rate:
                self.fraction -= self.rate
                now += 1
            if self.schedule.upcoming() <= now:  # as is NEVER
                break
            self.schedule.now = now
        self.schedule.arm(self.timer, now)


class Counter(Sink):
    """Counts packets and gives them back."""

    def __init__(self, schedule: Schedule) -> None:
        Sink.__init__(self, schedule)
        self.packets = self.octets = 0

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Count a packet."""
        self.packets += 1
        self.octets += self.pool.rows[packet].length
        self.pool.give(packet)
