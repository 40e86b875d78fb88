# cython: cdivision=True
"""BBR, version 1: net/ipv4/tcp_bbr.c of Linux 7.3.

Rates are in segments per microsecond times 2^24, gains in 1/256.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.tcp.socket import Congestion, Socket

if not cython.compiled:
    from tcc.engine.tcp.constants import INFINITE, LOSS, OPEN, RECOVERY, SEGMENT
    from tcc.engine.tcp.rows import Best
    from tcc.engine.tcp.socket import run_best

    STARTUP = 0
    DRAIN = 1
    PROBE_RATE = 2
    PROBE_RTT = 3
    UNIT = 256
    HIGH_GAIN = 739  # 2/ln 2
    DRAIN_GAIN = 88
    RATE_BITS = 24
    RATE_UNIT = 1 << 24
    LEAST_WINDOW = 4


class Bbr(Congestion):
    """Paces at the greatest delivery rate seen, and keeps twice its product with the RTT."""

    def __init__(self) -> None:
        Congestion.__init__(self)
        self.paces = True
        self.controls = True
        if not cython.compiled:
            self.best = Best()
            self.extra = [0, 0]

    def begin(self, tcp: Socket) -> cython.void:
        """The connection is established."""
        place: cython.int
        self.mode = STARTUP
        self.least_rtt = tcp.least_rtt()
        self.least_rtt_at = tcp.jiffies
        self.probe_done = 0
        self.probe_round_done = False
        for place in range(3):
            self.best.time[place] = 0
            self.best.value[place] = 0
        self.rounds = 0
        self.round_until = tcp.delivered
        self.round_began = False
        self.prior_state = OPEN
        self.conserve = False
        self.idle_restart = False
        self.cycle_began = 0
        self.phase = 0
        self.full = False
        self.full_rounds = 0
        self.full_rate = 0
        self.prior_window = 0
        self.epoch = tcp.time
        self.epoch_acked = 0
        self.extra[0] = self.extra[1] = 0
        self.extra_rounds = 0
        self.extra_place = 0
        self.police_reset(tcp)
        self.update_gains()
        self.rtt_seen = True
        rtt: cython.longlong = tcp.srtt >> 3 if tcp.srtt >> 3 else 1
        tcp.pacing_rate = self.bytes_per_second(tcp.cwnd * RATE_UNIT // rtt, HIGH_GAIN)

    def greatest(self) -> cython.longlong:
        """Answer the greatest delivery rate of the last ten rounds."""
        return self.best.value[0]

    def rate(self) -> cython.longlong:
        """Answer the rate that the path is thought to have."""
        return self.police_rate if self.policed else self.best.value[0]

    def bytes_per_second(self, rate: cython.longlong, gain: cython.longlong) -> cython.longlong:
        """Answer a rate in bytes per second, with a gain and a margin of 1 %."""
        return ((rate * SEGMENT * gain >> 8) * 990000) >> RATE_BITS

    def set_pacing(self, tcp: Socket, rate: cython.longlong, gain: cython.longlong) -> cython.void:
        """Set the pacing rate; in start-up it only grows."""
        pace: cython.longlong = self.bytes_per_second(rate, gain)
        if self.full or pace > tcp.pacing_rate:
            tcp.pacing_rate = pace

    def least_burst(self, tcp: Socket) -> cython.int:
        """Answer 1 below 1.2 Mbit/s."""
        return 1 if tcp.pacing_rate < 150000 else 2

    def burst(self, tcp: Socket) -> cython.int:
        """Answer how many segments of a burst the window has to allow for."""
        size: cython.longlong = tcp.pacing_rate >> 10
        if size > 65215:
            size = 65215
        size = size // SEGMENT
        if size < self.least_burst(tcp):
            size = self.least_burst(tcp)
        return size if size < 127 else 127

    def save_window(self, tcp: Socket) -> cython.void:
        """Remember the window for after recovery or RTT probing."""
        if (self.prior_state < RECOVERY and self.mode != PROBE_RTT) or (
            tcp.cwnd > self.prior_window
        ):
            self.prior_window = tcp.cwnd

    def restarted(self, tcp: Socket) -> cython.void:
        """Sending begins again after the application had nothing to send."""
        if not tcp.app_limited:
            return
        self.idle_restart = True
        self.epoch = tcp.time
        self.epoch_acked = 0
        if self.mode == PROBE_RATE:
            self.set_pacing(tcp, self.rate(), UNIT)
        elif self.mode == PROBE_RTT:
            self.leave_probe_rtt(tcp)

    def product(self, rate: cython.longlong, gain: cython.longlong) -> cython.longlong:
        """Answer rate times least round trip, in segments, rounded up."""
        if self.least_rtt >= INFINITE:
            return 10
        return ((rate * self.least_rtt * gain >> 8) + RATE_UNIT - 1) >> RATE_BITS

    def budget(self, tcp: Socket, window: cython.longlong) -> cython.longlong:
        """Add room for bursts that wait in the hosts."""
        window += 3 * self.burst(tcp)
        window = (window + 1) & ~1
        if self.mode == PROBE_RATE and self.phase == 0:
            window += 2
        return window

    def target(self, tcp: Socket, rate: cython.longlong, gain: cython.longlong) -> cython.longlong:
        """Answer how much should be in flight."""
        return self.budget(tcp, self.product(rate, gain))

    def in_network(self, tcp: Socket, flight: cython.longlong) -> cython.longlong:
        """Answer how much will be in the network when pacing lets the next packet go."""
        wait: cython.longlong = 0
        if tcp.wstamp > tcp.now:
            wait = (tcp.wstamp - tcp.now) // 1000
        gone: cython.longlong = self.rate() * wait >> RATE_BITS
        if self.gain > UNIT:
            flight += self.burst(tcp)
        return flight - gone if flight > gone else 0

    def aggregation(self) -> cython.longlong:
        """Answer the window's allowance for acknowledgements that come in bunches."""
        most: cython.longlong
        extra: cython.longlong
        if not self.full:
            return 0
        most = self.rate() * 100000 >> RATE_BITS
        extra = self.extra[0] if self.extra[0] > self.extra[1] else self.extra[1]
        return extra if extra < most else most

    def recover(self, tcp: Socket, window: cython.pointer[cython.longlong]) -> cython.bint:
        """Conserve packets in the first round of recovery; answer whether the window is set."""
        cwnd: cython.longlong = tcp.cwnd
        conserved: cython.longlong
        if tcp.rate_losses > 0:
            cwnd -= tcp.rate_losses
            if cwnd < 1:
                cwnd = 1
        if tcp.state == RECOVERY and self.prior_state != RECOVERY:
            self.conserve = True
            self.round_until = tcp.delivered
            cwnd = tcp.in_flight() + tcp.rate_acked
        elif self.prior_state >= RECOVERY and tcp.state < RECOVERY:
            if cwnd < self.prior_window:
                cwnd = self.prior_window
            self.conserve = False
        self.prior_state = tcp.state
        if self.conserve:
            conserved = tcp.in_flight() + tcp.rate_acked
            window[0] = cwnd if cwnd > conserved else conserved
            return True
        window[0] = cwnd
        return False

    def set_window(self, tcp: Socket) -> cython.void:
        """Move the window towards its target."""
        acked: cython.longlong = tcp.rate_acked
        cwnd: cython.longlong = tcp.cwnd
        goal: cython.longlong
        kept: cython.bint = False
        if acked:
            if cython.compiled:
                kept = self.recover(tcp, cython.address(cwnd))
            else:
                box = [cwnd]
                kept = self.recover(tcp, box)
                cwnd = box[0]
            if not kept:
                goal = self.product(self.rate(), self.window_gain) + self.aggregation()
                goal = self.budget(tcp, goal)
                if self.full:
                    cwnd = cwnd + acked if cwnd + acked < goal else goal
                elif cwnd < goal or tcp.delivered < 10:
                    cwnd += acked
                if cwnd < LEAST_WINDOW:
                    cwnd = LEAST_WINDOW
        tcp.cwnd = cwnd
        if self.mode == PROBE_RTT and tcp.cwnd > LEAST_WINDOW:
            tcp.cwnd = LEAST_WINDOW

    def phase_over(self, tcp: Socket) -> cython.bint:
        """Answer whether this phase of the gain cycle has done its work."""
        long_enough: cython.bint = tcp.delivered_time - self.cycle_began > self.least_rtt
        flight: cython.longlong
        if self.gain == UNIT:
            return long_enough
        flight = self.in_network(tcp, tcp.rate_prior_flight)
        if self.gain > UNIT:
            return long_enough and (
                tcp.rate_losses > 0 or flight >= self.target(tcp, self.greatest(), self.gain)
            )
        return long_enough or flight <= self.target(tcp, self.greatest(), UNIT)

    def next_phase(self, tcp: Socket) -> cython.void:
        """Go to the next phase of the gain cycle."""
        self.phase = (self.phase + 1) & 7
        self.cycle_began = tcp.delivered_time

    def probe_rate(self, tcp: Socket) -> cython.void:
        """Begin the gain cycle at a random phase, but not the one that drains."""
        self.mode = PROBE_RATE
        self.phase = 7 - tcp.random.below(7)
        self.next_phase(tcp)

    def leave_probe_rtt(self, tcp: Socket) -> cython.void:
        """Probing for the least round trip is over, if it has lasted long enough."""
        if not (self.probe_done and tcp.jiffies > self.probe_done):
            return
        self.least_rtt_at = tcp.jiffies
        if tcp.cwnd < self.prior_window:
            tcp.cwnd = self.prior_window
        if self.full:
            self.probe_rate(tcp)
        else:
            self.mode = STARTUP

    def police_interval(self, tcp: Socket) -> cython.void:
        """Begin an interval of watching for a policer."""
        self.police_time = tcp.delivered_time // 1000
        self.police_delivered = tcp.delivered
        self.police_lost = tcp.lost
        self.police_rounds = 0

    def police_reset(self, tcp: Socket) -> cython.void:
        """Think of no policer."""
        self.police_rate = 0
        self.policed = False
        self.policing = False
        self.police_interval(tcp)

    def police_done(self, tcp: Socket, rate: cython.longlong) -> cython.void:
        """An interval with losses is over: two alike mean a policer."""
        apart: cython.longlong
        if self.police_rate:
            apart = rate - self.police_rate
            if apart < 0:
                apart = -apart
            if apart * UNIT <= 32 * self.police_rate or self.bytes_per_second(apart, UNIT) <= 500:
                self.police_rate = (rate + self.police_rate) >> 1
                self.policed = True
                self.gain = UNIT
                self.police_rounds = 0
                return
        self.police_rate = rate
        self.police_interval(tcp)

    def police(self, tcp: Socket, lost: cython.longlong) -> cython.void:
        """Watch for a token bucket that drops."""
        losses: cython.longlong
        delivered: cython.longlong
        span: cython.longlong
        if self.policed:
            if self.mode == PROBE_RATE and self.round_began:
                self.police_rounds += 1
                if self.police_rounds >= 48:
                    self.police_reset(tcp)
                    self.probe_rate(tcp)
            return
        if not self.policing:
            if not lost:
                return
            self.police_interval(tcp)
            self.policing = True
        if tcp.rate_app_limited:
            self.police_reset(tcp)
            return
        if self.round_began:
            self.police_rounds += 1
        if self.police_rounds < 4:
            return
        if self.police_rounds > 16:
            self.police_reset(tcp)
            return
        if not lost:
            return
        losses = tcp.lost - self.police_lost
        delivered = tcp.delivered - self.police_delivered
        if not delivered or losses << 8 < 50 * delivered:
            return
        span = tcp.delivered_time // 1000 - self.police_time
        if span >= 1:
            self.police_done(tcp, delivered * RATE_UNIT // (span * 1000))

    def update_rate(self, tcp: Socket) -> cython.void:
        """Take the delivery rate sample."""
        rate: cython.longlong
        self.round_began = False
        if tcp.rate_delivered < 0 or tcp.rate_interval <= 0:
            return
        if tcp.rate_prior_delivered >= self.round_until:
            self.round_until = tcp.delivered
            self.rounds += 1
            self.round_began = True
            self.conserve = False
        self.police(tcp, tcp.rate_losses)
        rate = tcp.rate_delivered * RATE_UNIT // tcp.rate_interval
        if not tcp.rate_app_limited or rate >= self.greatest():
            if cython.compiled:
                run_best(cython.address(self.best), 10, self.rounds, rate, False)
            else:
                run_best(self.best, 10, self.rounds, rate, False)

    def update_aggregation(self, tcp: Socket) -> cython.void:
        """Learn how much more is acknowledged at once than the rate explains."""
        expected: cython.longlong
        extra: cython.longlong
        if tcp.rate_acked <= 0 or tcp.rate_delivered < 0 or tcp.rate_interval <= 0:
            return
        if self.round_began:
            self.extra_rounds += 1
            if self.extra_rounds >= 5:
                self.extra_rounds = 0
                self.extra_place = 1 - self.extra_place
                self.extra[self.extra_place] = 0
        expected = self.rate() * (tcp.delivered_time - self.epoch) >> RATE_BITS
        if self.epoch_acked <= expected or self.epoch_acked + tcp.rate_acked >= 1 << 20:
            self.epoch_acked = 0
            self.epoch = tcp.delivered_time
            expected = 0
        self.epoch_acked += tcp.rate_acked
        extra = self.epoch_acked - expected
        if extra > tcp.cwnd:
            extra = tcp.cwnd
        if extra > self.extra[self.extra_place]:
            self.extra[self.extra_place] = extra

    def check_full(self, tcp: Socket) -> cython.void:
        """Three rounds without a quarter more rate: the pipe is full."""
        if self.full or not self.round_began or tcp.rate_app_limited:
            return
        if self.greatest() >= self.full_rate * 320 >> 8:
            self.full_rate = self.greatest()
            self.full_rounds = 0
            return
        self.full_rounds += 1
        self.full = self.full_rounds >= 3

    def check_drain(self, tcp: Socket) -> cython.void:
        """After start-up, drain the queue it made, then cycle."""
        if self.mode == STARTUP and self.full:
            self.mode = DRAIN
            tcp.ssthresh = self.target(tcp, self.greatest(), UNIT)
        if self.mode == DRAIN and self.in_network(tcp, tcp.in_flight()) <= self.target(
            tcp, self.greatest(), UNIT
        ):
            self.probe_rate(tcp)

    def update_rtt(self, tcp: Socket) -> cython.void:
        """Keep the least round trip of ten seconds; without a new one, go and look."""
        expired: cython.bint = tcp.jiffies > self.least_rtt_at + 10000
        if tcp.rate_rtt >= 0 and (
            tcp.rate_rtt < self.least_rtt or (expired and not tcp.rate_ack_delayed)
        ):
            self.least_rtt = tcp.rate_rtt
            self.least_rtt_at = tcp.jiffies
        if expired and not self.idle_restart and self.mode != PROBE_RTT:
            self.mode = PROBE_RTT
            self.save_window(tcp)
            self.probe_done = 0
        if self.mode == PROBE_RTT:
            tcp.app_limited = tcp.delivered + tcp.in_flight()
            if not tcp.app_limited:
                tcp.app_limited = 1
            if not self.probe_done and tcp.in_flight() <= LEAST_WINDOW:
                self.probe_done = tcp.jiffies + 200
                self.probe_round_done = False
                self.round_until = tcp.delivered
            elif self.probe_done:
                if self.round_began:
                    self.probe_round_done = True
                if self.probe_round_done:
                    self.leave_probe_rtt(tcp)
        if tcp.rate_delivered > 0:
            self.idle_restart = False

    def update_gains(self) -> cython.void:
        """Set the gains of the mode."""
        if self.mode == STARTUP:
            self.gain = HIGH_GAIN
            self.window_gain = HIGH_GAIN
        elif self.mode == DRAIN:
            self.gain = DRAIN_GAIN
            self.window_gain = HIGH_GAIN
        elif self.mode == PROBE_RATE:
            self.gain = UNIT
            if not self.policed and self.phase == 0:
                self.gain = 320
            elif not self.policed and self.phase == 1:
                self.gain = 192
            self.window_gain = 2 * UNIT
        else:
            self.gain = UNIT
            self.window_gain = UNIT

    def control(self, tcp: Socket) -> cython.void:
        """Update the model of the path, then set pacing rate and window by it."""
        self.update_rate(tcp)
        self.update_aggregation(tcp)
        if self.mode == PROBE_RATE and self.phase_over(tcp):
            self.next_phase(tcp)
        self.check_full(tcp)
        self.check_drain(tcp)
        self.update_rtt(tcp)
        self.update_gains()
        self.set_pacing(tcp, self.rate(), self.gain)
        self.set_window(tcp)

    def threshold(self, tcp: Socket) -> cython.longlong:
        """Remember the window; the threshold means nothing here."""
        self.save_window(tcp)
        return tcp.ssthresh

    def undone(self, tcp: Socket) -> cython.longlong:
        """Look again whether the pipe is full."""
        self.full_rate = 0
        self.full_rounds = 0
        self.police_reset(tcp)
        return tcp.cwnd

    def entered(self, tcp: Socket, state: cython.int) -> cython.void:
        """A timeout ends a round."""
        if state == LOSS:
            self.prior_state = LOSS
            self.full_rate = 0
            self.round_began = True
            self.police(tcp, 1)
