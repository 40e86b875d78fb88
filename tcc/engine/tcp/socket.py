# cython: cdivision=True
"""The sending side of a TCP connection: its state, and the small steps on it.

Sequence numbers count full segments: a sender with data to send fills every segment, so nothing
is lost by it, and the remembered state of a segment is a row of a ring.  The number of segments
in flight is `nxt - una` (the kernel's packets_out).  Round trips are in microseconds and, where
the kernel keeps them so, in eighths; timers are in jiffies of a millisecond (HZ 1000).

Sources: struct tcp_sock and its use in net/ipv4/tcp_input.c, tcp_output.c and tcp_timer.c of
Linux 7.3; RFC 9293, 6298, 2018.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.events import Schedule
from tcc.engine.random import Random
from tcc.engine.sink import Endpoint, Sink
from tcc.engine.tcp.options import OptionPool

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    from tcc.engine.constants import NEVER, NIL
    from tcc.engine.tcp.constants import (
        CWR,
        IDLE,
        INFINITE,
        JIFFY,
        OPEN,
        RECOVERY,
        SEGMENT,
        TIMER_PACE,
        TIMER_RETRANSMIT,
    )
    from tcc.engine.tcp.rows import Best, BestRow, Segment

GSO_BYTES = 65214  # sk_gso_max_size of TCP over IPv4: 64 KiB less room for headers


class Congestion:
    """A congestion control; this one never reduces anything.

    `paces` says that the sender has to space its packets, `controls` that `control` sets the
    window after every acknowledgement instead of `grow` and proportional rate reduction.
    """

    def __init__(self) -> None:
        self.paces = False
        self.controls = False

    def begin(self, tcp: Socket) -> cython.void:
        """The connection is established."""

    def threshold(self, tcp: Socket) -> cython.longlong:
        """Answer the slow start threshold after a loss."""
        return tcp.ssthresh

    def grow(self, tcp: Socket, acked: cython.int) -> cython.void:
        """Segments were acknowledged, and nothing is wrong."""

    def control(self, tcp: Socket) -> cython.void:
        """Set window and pacing rate from the sample of this acknowledgement."""

    def sample(self, tcp: Socket, rtt: cython.longlong) -> cython.void:
        """A round trip was measured (us); below 0 if this acknowledgement measured none."""

    def entered(self, tcp: Socket, state: cython.int) -> cython.void:
        """The sender went into a state."""

    def undone(self, tcp: Socket) -> cython.longlong:
        """Answer the window after a reduction proved wrong."""
        return tcp.cwnd if tcp.cwnd > tcp.prior_cwnd else tcp.prior_cwnd

    def restarted(self, tcp: Socket) -> cython.void:
        """The first segment after nothing was in flight is about to be sent."""

    def least_burst(self, tcp: Socket) -> cython.int:
        """Answer the least number of segments in a super-packet."""
        return 2


def run_best(
    best: BestRow,
    window: cython.longlong,
    time: cython.longlong,
    value: cython.longlong,
    least: cython.bint,
) -> cython.longlong:
    """Answer the least or greatest value of a sliding window of time (lib/win_minmax.c)."""
    sign: cython.longlong = -1 if least else 1
    value = sign * value
    if value >= best.value[0] or time - best.time[2] > window:
        best.value[0] = best.value[1] = best.value[2] = value
        best.time[0] = best.time[1] = best.time[2] = time
        return sign * value
    if value >= best.value[1]:
        best.value[1] = best.value[2] = value
        best.time[1] = best.time[2] = time
    elif value >= best.value[2]:
        best.value[2] = value
        best.time[2] = time
    age: cython.longlong = time - best.time[0]
    if age > window:
        best.value[0], best.time[0] = best.value[1], best.time[1]
        best.value[1], best.time[1] = best.value[2], best.time[2]
        best.value[2], best.time[2] = value, time
        if time - best.time[0] > window:
            best.value[0], best.time[0] = best.value[1], best.time[1]
            best.value[1], best.time[1] = best.value[2], best.time[2]
    elif best.time[1] == best.time[0] and age > window // 4:
        best.value[1] = best.value[2] = value
        best.time[1] = best.time[2] = time
    elif best.time[2] == best.time[1] and age > window // 2:
        best.value[2] = value
        best.time[2] = time
    return sign * best.value[0]


class Socket(Endpoint):
    """A sender's state.

    Args:
        schedule: the simulation's events.
        port: where its packets go.
        flow: the number of its flow.
        hashes: of the flow, its source, its destination.
        congestion: its congestion control, its own.
        options: where SACK options lie.
        random: the simulation's numbers.
        payload: bytes to send; None for no end.
        tos: DSCP of its packets.
        ecn: both ends agreed on ECN (RFC 3168).
        local: the host shapes too.
    """

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        flow: int,
        hashes: tuple[int, int, int],
        congestion: Congestion,
        options: OptionPool,
        random: Random,
        payload: int | None = None,
        tos: int = 0,
        ecn: bool = False,
        local: bool = False,
    ) -> None:
        Endpoint.__init__(self, schedule, port, flow, hashes, tos & 0xFC, local)
        self.congestion = congestion
        self.options = options
        self.random = random
        self.ecn = ecn
        self.gso_bytes = GSO_BYTES
        self.sizes_by_rtt = True
        self.total = 1 << 60
        self.last_payload = SEGMENT
        if payload is not None:
            self.total = -(-payload // SEGMENT)
            self.last_payload = payload - (self.total - 1) * SEGMENT
        self.timer = schedule.new_timer(self, TIMER_RETRANSMIT)
        self.pace_timer = schedule.new_timer(self, TIMER_PACE)
        self.mask = -1
        self.una = self.nxt = 0
        if not cython.compiled:
            self.ring: list[Segment] = []
            self.rtt_best = Best()
            self.cached_start = [0] * 4
            self.cached_end = [0] * 4
        if not self.ensure(64):
            raise MemoryError
        self.reset()

    def reset(self) -> None:
        """Be a connection that is about to be established."""
        place: cython.int
        self.una = self.nxt = 0
        self.window_end = self.last_window_end = 44
        self.running = False
        self.head_end = 0
        self.sacked_out = self.lost_out = self.retrans_out = 0
        self.highest_sack = 0
        self.retransmit_hint = NIL
        self.cwnd = 10
        self.ssthresh = INFINITE
        self.cwnd_count = 0
        self.state = OPEN
        self.high = 0
        self.prior_cwnd = self.prior_ssthresh = 0
        self.prr_delivered = self.prr_out = 0
        self.undo_marker = NIL
        self.undo_retrans = 0
        self.retrans_stamp = 0
        self.cwnd_limited = False
        self.most_out = 0
        self.usage_until = 0
        self.cwnd_stamp = self.cwnd_used = 0
        self.cwr_queued = False
        self.delivered = self.lost = 0
        self.delivered_time = self.first_sent = 0
        self.app_limited = 0
        self.rate_prior_time = self.rate_prior_delivered = 0
        self.rate_delivered = self.rate_interval = self.rate_rtt = -1
        self.rate_last_end = self.rate_losses = self.rate_acked = self.rate_prior_flight = 0
        self.rate_app_limited = self.rate_ack_delayed = False
        self.first_sacked = self.last_sacked = 0
        self.reorder_low = self.sack_delivered = 0
        self.flags = 0
        self.echoed = 0
        self.stamp = 0
        self.srtt = self.mdev = self.mdev_max = self.rttvar = 0
        self.rtt_until = 0
        self.rto = 1000
        self.backoff = self.retransmits = 0
        self.rack_time = self.rack_end = self.rack_rtt = 0
        self.rack_advanced = self.rack_duplicate = False
        self.rack_steps = 1
        self.rack_persist = 0
        self.rack_last_delivered = 0
        self.reordering = 3
        self.reordering_seen = 0
        self.probe_high = NIL
        self.probe_repeated = False
        self.frto = False
        self.now = self.time = self.jiffies = 0
        self.wstamp = 0
        self.pending = IDLE
        self.deadline = self.due = 0
        self.armed_for = NEVER
        self.pace_waiting = False
        self.pacing_rate = 0
        self.queued = 0
        self.throttled = self.turned_away = False
        self.last_packet = 0
        self.sent_segments = self.repeated = self.timeouts = self.probes = 0
        self.undos = self.recoveries = self.duplicates = self.reductions = 0
        self.finished_at = NEVER
        self.oldest = self.newest = NIL
        for place in range(3):
            self.rtt_best.time[place] = 0
            self.rtt_best.value[place] = -INFINITE
        for place in range(4):
            self.cached_start[place] = 0
            self.cached_end[place] = 0

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.ring)

    def ensure(self, segments: cython.longlong) -> cython.int:
        """Make the ring hold so many segments; return 0 if there is no memory."""
        if segments <= self.mask + 1:
            return 1
        size: cython.longlong = 64
        while size < segments:
            size *= 2
        segment: cython.longlong
        if cython.compiled:
            ring: cython.pointer[Segment] = cython.cast(
                cython.pointer[Segment], calloc(size, cython.sizeof(Segment))
            )
            if not ring:
                return 0
            for segment in range(self.una, self.nxt):
                ring[segment & (size - 1)] = self.ring[segment & self.mask]
            free(self.ring)
            self.ring = ring
        else:
            rows = [Segment() for _ in range(size)]
            for segment in range(self.una, self.nxt):
                rows[segment & (size - 1)] = self.ring[segment & self.mask]
            self.ring = rows
        self.mask = size - 1
        return 1

    if not cython.compiled:  # for C these are in the .pxd, to be compiled into what calls them

        def in_flight(self) -> cython.longlong:
            """Answer how many segments are in the network, as far as can be told."""
            return self.nxt - self.una - self.sacked_out - self.lost_out + self.retrans_out

        def least_rtt(self) -> cython.longlong:
            """Answer the least round trip of the last 300 s (us)."""
            return -self.rtt_best.value[0]

        def slow_start(self) -> cython.bint:
            """Answer whether the window is below the slow start threshold."""
            return self.cwnd < self.ssthresh

        def refresh(self, now: cython.longlong) -> cython.void:
            """Let it be `now` (ns) for what follows."""
            self.now = now
            self.time = now // 1000
            self.jiffies = now // JIFFY

        def list_append(self, segment: cython.longlong) -> cython.void:
            """Note a segment as the one sent last."""
            row: cython.pointer[Segment] = self.ring
            place: cython.longlong = segment & self.mask
            row[place].earlier = self.newest
            row[place].later = NIL
            if self.newest == NIL:
                self.oldest = segment
            else:
                row[self.newest & self.mask].later = segment
            self.newest = segment

        def list_remove(self, segment: cython.longlong) -> cython.void:
            """Take a segment out of the order of transmission; its `earlier` becomes itself."""
            row: cython.pointer[Segment] = self.ring
            place: cython.longlong = segment & self.mask
            earlier: cython.int = row[place].earlier
            later: cython.int = row[place].later
            if earlier == segment:
                return
            if earlier == NIL:
                self.oldest = later
            else:
                row[earlier & self.mask].later = later
            if later == NIL:
                self.newest = earlier
            else:
                row[later & self.mask].earlier = earlier
            row[place].earlier = segment

    def current_threshold(self) -> cython.longlong:
        """Answer the threshold to come back to when a reduction is undone."""
        kept: cython.longlong = (self.cwnd >> 1) + (self.cwnd >> 2)
        if self.state == CWR or self.state == RECOVERY or self.ssthresh > kept:
            return self.ssthresh
        return kept

    def enter(self, state: cython.int) -> cython.void:
        """Go into a state."""
        self.congestion.entered(self, state)
        self.state = state

    def limited(self) -> cython.bint:
        """Answer whether the window held the sender back (tcp_is_cwnd_limited)."""
        if self.cwnd_limited:
            return True
        if self.cwnd < self.ssthresh:
            return self.cwnd < 2 * self.most_out
        return False

    def set_timer(self, kind: cython.int, jiffies: cython.longlong) -> cython.void:
        """Let the timer fire in so many jiffies, as late as the kernel's timer wheel does.

        A wheel's level of coarser grains takes timers of 63 jiffies and more; a timer fires at
        the end of its grain.
        """
        grain: cython.int = 0
        if jiffies < 1:
            jiffies = 1
        if jiffies >= 4032:
            grain = 9
        elif jiffies >= 504:
            grain = 6
        elif jiffies >= 63:
            grain = 3
        self.pending = kind
        self.deadline = self.jiffies + jiffies
        self.due = (((self.deadline >> grain) + 1) << grain) * JIFFY
        if self.armed_for == NEVER or self.due < self.armed_for:
            self.armed_for = self.due
            self.schedule.arm(self.timer, self.due)

    def clear_timer(self) -> cython.void:
        """Wait for nothing."""
        self.pending = IDLE

    def goodput(self) -> int:
        """Return the bytes of payload acknowledged so far."""
        done = int(self.una) * SEGMENT
        return done - (SEGMENT - int(self.last_payload)) if self.una == self.total else done

    def statistics(self) -> dict[str, int]:
        """Return counts as `ss -ti` and `nstat` have them."""
        return {
            "cwnd": self.cwnd,
            "ssthresh": self.ssthresh,
            "srtt_us": self.srtt >> 3,
            "segments": self.sent_segments,
            "retransmits": self.repeated,
            "timeouts": self.timeouts,
            "probes": self.probes,
            "recoveries": self.recoveries,
            "reductions": self.reductions,
            "undos": self.undos,
            "duplicates": self.duplicates,
        }
