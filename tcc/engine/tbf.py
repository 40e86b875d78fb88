# cython: cdivision=True
"""`tbf`, the token bucket filter: a rate, short bursts, perhaps a peak rate.

Sources: tbf_enqueue(), tbf_segment() and tbf_dequeue() of net/sched/sch_tbf.c,
psched_ratecfg_precompute() of net/sched/sch_generic.c; tc-tbf(8).  The kernel's timer is exact
here; a late one is the host model's business.

The inner qdisc holds the packets.  The filter counts what goes in and comes out, and follows the
inner one's own drops, as qdisc_tree_reduce_backlog() makes the kernel's do.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc

if not cython.compiled:
    from tcc.engine.constants import DROP, GSO_SPLIT, NEVER, NIL, OK, QUEUE_PURGE, TOO_LONG
    from tcc.engine.rows import Packet

NS_PER_S = 1_000_000_000
TICK = 64  # ns of one packet-scheduler clock tick


class Pace:
    """The time that bytes take at a rate, as struct psched_ratecfg computes it.

    Args:
        rate: bytes/s, above 0.
        overhead: bytes added to each packet.
        mpu: smallest size of a packet, in bytes.
        atm: whether packets travel in ATM cells.
    """

    def __init__(self, rate: int, overhead: int = 0, mpu: int = 0, atm: bool = False) -> None:
        if rate <= 0:
            raise ValueError("a rate of a token bucket is above 0")
        factor, shift = NS_PER_S, 0
        while not (factor // rate) & 0x80000000 and not factor & (1 << 63):
            factor, shift = factor * 2, shift + 1
        self.rate = rate
        self.factor = (factor // rate) & 0xFFFFFFFF
        self.shift = shift
        self.overhead = overhead
        self.mpu = mpu
        self.atm = atm

    def framed(self, length: cython.uint) -> cython.ulonglong:
        """Return how many bytes a packet of `length` bytes is on the wire."""
        size: cython.ulonglong = length + self.overhead
        if size < self.mpu:
            size = self.mpu
        if self.atm:
            size = (size + 47) // 48 * 53
        return size

    def time_of(self, length: cython.uint) -> cython.ulonglong:
        """Return the ns that a packet of `length` bytes takes."""
        return (self.framed(length) * self.factor) >> self.shift

    def time(self, length: int) -> int:
        """`time_of`, from Python."""
        return self.time_of(length)

    def bytes_in(self, duration: int) -> int:
        """Return how many bytes pass in `duration` ns (psched_ns_t2l())."""
        size = duration * self.rate // NS_PER_S
        if self.atm:
            size = size // 53 * 48
        return max(0, size - self.overhead)


class TokenBucket(QueueDisc):
    """A token bucket filter around an inner qdisc.

    Args:
        pool: where its packets are.
        inner: the qdisc that holds the packets.
        pace: the rate.
        burst: depth of the bucket in bytes; None leaves it to `buffer`.
        buffer: depth of the bucket in ticks of 64 ns, used without `burst`.
        peak: the peak rate, above the rate; None for none.
        peak_burst: depth of the peak rate's bucket in bytes; None leaves it to `peak_buffer`.
        peak_buffer: the same in ticks.

    Raises:
        ValueError: what the kernel answers with EINVAL: a peak not above the rate, no burst.
    """

    def __init__(
        self,
        pool: PacketPool,
        inner: QueueDisc,
        pace: Pace,
        burst: int | None = None,
        buffer: int = 0,
        peak: Pace | None = None,
        peak_burst: int | None = None,
        peak_buffer: int = 0,
    ) -> None:
        QueueDisc.__init__(self, pool)
        self.inner = inner
        self.last = 0
        self.inner_lost = 0
        self.inner_lost_bytes = 0
        self.change(pace, burst, buffer, peak, peak_burst, peak_buffer)

    def change(
        self,
        pace: Pace,
        burst: int | None = None,
        buffer: int = 0,
        peak: Pace | None = None,
        peak_burst: int | None = None,
        peak_buffer: int = 0,
    ) -> None:
        """Set every parameter anew and fill both buckets (tbf_change()).

        Raises:
            ValueError: as for a new one; nothing is changed then.
        """
        depth = pace.time(burst) if burst is not None else buffer * TICK
        largest = burst if burst is not None else min(pace.bytes_in(depth), 0xFFFFFFFF)
        peak_depth = 0
        if peak is not None:
            if peak.rate <= pace.rate:
                raise ValueError("the peak rate of a token bucket is above its rate")
            if peak_burst is not None:
                peak_depth, most = peak.time(peak_burst), peak_burst
            else:
                peak_depth = peak_buffer * TICK
                most = peak.bytes_in(peak_depth)
            largest = min(largest, most)
        if largest <= 0:
            raise ValueError("a token bucket holds at least one byte")
        self.pace = pace
        self.peak = peak if peak is not None else pace
        self.has_peak = peak is not None
        self.depth = depth
        self.peak_depth = peak_depth
        self.max_size = largest
        self.tokens = self.depth
        self.peak_tokens = self.peak_depth

    def follow_inner(self) -> cython.void:
        """Count what the inner qdisc has dropped of what it had taken; pass its timer on."""
        lost: cython.longlong = self.inner.dropped_after - self.inner_lost
        self.dropped_after += lost
        self.dropped_after_bytes += self.inner.dropped_after_bytes - self.inner_lost_bytes
        self.drops += lost
        self.inner_lost = self.inner.dropped_after
        self.inner_lost_bytes = self.inner.dropped_after_bytes
        self.qlen = self.inner.qlen
        self.backlog = self.inner.backlog
        if self.parked != NIL:
            self.qlen += 1
            self.backlog += self.pool.rows[self.parked].length
        if self.inner.wakeup != NEVER:
            self.wakeup = self.inner.wakeup
            self.inner.wakeup = NEVER

    def pass_in(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Hand a packet to the inner qdisc and count what became of it."""
        refused: cython.longlong = self.inner.dropped_before
        received: cython.longlong = self.inner.received
        received_bytes: cython.longlong = self.inner.received_bytes
        refused_bytes: cython.longlong = self.inner.dropped_before_bytes
        verdict: cython.int = self.inner.do_enqueue(packet, now)
        received = self.inner.received - received
        received_bytes = self.inner.received_bytes - received_bytes
        refused = self.inner.dropped_before - refused
        refused_bytes = self.inner.dropped_before_bytes - refused_bytes
        self.received += received
        self.received_bytes += received_bytes
        self.dropped_before += refused
        self.dropped_before_bytes += refused_bytes
        self.drops += refused
        self.enqueued += received - refused
        self.enqueued_bytes += received_bytes - refused_bytes
        self.follow_inner()
        return verdict

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Take a packet that the bucket can ever hold; cut a super-packet that it cannot."""
        rows: cython.pointer[Packet] = self.pool.rows
        if rows[packet].length > self.max_size:
            if (
                rows[packet].gso_segs > 1
                and rows[packet].gso_size + rows[packet].header_length <= self.max_size
            ):
                return self.segment(packet, now)
            self.note_received(packet)
            self.drop_before(packet, TOO_LONG)
            return DROP
        return self.pass_in(packet, now)

    def segment(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Enqueue the segments of a super-packet in its place; OK if one was taken."""
        rows: cython.pointer[Packet] = self.pool.rows
        count: cython.uint = self.pool.rows[packet].gso_segs
        size: cython.uint = self.pool.rows[packet].gso_size
        header: cython.uint = self.pool.rows[packet].header_length
        left: cython.longlong = self.pool.rows[packet].length
        room: cython.uint = self.pool.rows[packet].truesize
        payload: cython.uint
        taken: cython.int = 0
        segment: cython.int
        number: cython.uint
        left -= count * header
        room = room // count
        for number in range(count):
            segment = self.pool.copy(packet)
            if segment == NIL:
                break
            rows = self.pool.rows
            payload = size if left > size else left
            left -= payload
            rows[segment].length = header + payload
            rows[segment].payload = payload
            rows[segment].sequence = rows[segment].sequence + number * size
            rows[segment].id = rows[segment].id * 1000 + number
            rows[segment].gso_size = 0
            rows[segment].gso_segs = 1
            rows[segment].truesize = room
            if self.pass_in(segment, now) == OK:
                taken += 1
        self.pool.dropped(packet, GSO_SPLIT)
        return OK if taken else DROP

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Give the next packet if both buckets hold enough; else arm the timer."""
        packet: cython.int = self.parked
        tokens: cython.longlong
        peak_tokens: cython.longlong = 0
        wait: cython.longlong
        length: cython.uint
        if packet != NIL:
            return self.take_parked(now)
        packet = self.inner.do_peek(now)
        self.follow_inner()
        if packet == NIL:
            return NIL
        length = self.pool.rows[packet].length
        tokens = now - self.last
        if tokens > self.depth:
            tokens = self.depth
        if self.has_peak:
            peak_tokens = tokens + self.peak_tokens
            if peak_tokens > self.peak_depth:
                peak_tokens = self.peak_depth
            peak_tokens -= self.peak.time_of(length)
        tokens += self.tokens
        if tokens > self.depth:
            tokens = self.depth
        tokens -= self.pace.time_of(length)
        if tokens < 0 or peak_tokens < 0:
            wait = -tokens if tokens < peak_tokens else -peak_tokens
            self.wakeup = now + wait
            self.overlimits += 1
            return NIL
        packet = self.inner.do_dequeue(now)
        self.pool.rows[packet].adjusted = self.pace.framed(length)
        self.last = now
        self.tokens = tokens
        self.peak_tokens = peak_tokens
        self.dequeued += 1
        self.dequeued_bytes += length
        self.follow_inner()
        return packet

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Peek by dequeuing, as qdisc_peek_dequeued()."""
        return self.peek_dequeued(now)

    def marked(self) -> int:
        """Return how many packets the inner qdisc marked CE."""
        return self.inner.marked()

    def drops_by_reason(self) -> dict[str, int]:
        """Return how many packets were dropped, here or in the inner qdisc, for each reason."""
        found = QueueDisc.drops_by_reason(self)
        for reason, count in self.inner.drops_by_reason().items():
            found[reason] = found.get(reason, 0) + count
        return found

    def do_reset(self) -> cython.void:
        """Purge the inner qdisc and fill the buckets."""
        drops: cython.longlong = self.drops
        if self.parked != NIL:
            self.drop_after(self.parked, QUEUE_PURGE)
            self.parked = NIL
        self.inner.do_reset()
        self.follow_inner()
        self.drops = drops
        self.tokens = self.depth
        self.peak_tokens = self.peak_depth
