# cython: cdivision=True
"""Cubic (RFC 9438) with Linux's constants and HyStart: net/ipv4/tcp_cubic.c.

W(t) = C (t - K)^3 + W_max with C = 410/1024 and t in units of 1/1024 s; beta = 717/1024.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.tcp.socket import Congestion, Socket

if not cython.compiled:
    from tcc.engine.tcp.constants import INFINITE, LOSS
    from tcc.engine.tcp.reno import grow_exponentially, grow_linearly


def cube_root(value: cython.longlong) -> cython.longlong:
    """Answer the integer cube root, rounded down (the kernel's table is within 0.2 % of it)."""
    low: cython.longlong = 0
    high: cython.longlong = 1
    middle: cython.longlong
    while high * high * high <= value:
        high <<= 1
    while high - low > 1:
        middle = (low + high) >> 1
        if middle * middle * middle <= value:
            low = middle
        else:
            high = middle
    return low


class Cubic(Congestion):
    """Cubic growth towards the window of the last loss, and beyond.

    Args:
        hystart: leave slow start when delays or trains of acknowledgements grow.
    """

    def __init__(self, hystart: bool = True) -> None:
        Congestion.__init__(self)
        self.hystart = hystart
        self.per = self.last_greatest = self.last_window = self.last_time = 0
        self.origin = self.to_origin = self.least_delay = 0
        self.epoch = self.acked = self.reno_window = 0
        self.samples = 0
        self.found = False
        self.round_start = self.round_end = self.last_ack = self.round_delay = 0

    def forget(self) -> cython.void:
        """Know nothing of the path."""
        self.per = self.last_greatest = self.last_window = self.last_time = 0
        self.origin = self.to_origin = self.least_delay = 0
        self.epoch = self.acked = self.reno_window = 0
        self.found = False

    def start_round(self, tcp: Socket) -> cython.void:
        """Begin a round of HyStart."""
        self.round_start = self.last_ack = tcp.time
        self.round_end = tcp.nxt
        self.round_delay = INFINITE
        self.samples = 0

    def begin(self, tcp: Socket) -> cython.void:
        """The connection is established."""
        self.forget()
        self.start_round(tcp)

    def threshold(self, tcp: Socket) -> cython.longlong:
        """Answer 70 % of the window; the epoch of growth is over."""
        kept: cython.longlong = tcp.cwnd * 717 // 1024
        self.epoch = 0
        if tcp.cwnd < self.last_greatest:  # fast convergence
            self.last_greatest = tcp.cwnd * (1024 + 717) // 2048
        else:
            self.last_greatest = tcp.cwnd
        return kept if kept > 2 else 2

    def entered(self, tcp: Socket, state: cython.int) -> cython.void:
        """Forget everything after a timeout."""
        if state == LOSS:
            self.forget()
            self.start_round(tcp)

    def grow(self, tcp: Socket, acked: cython.int) -> cython.void:
        """Grow, if the window held the sender back."""
        if not tcp.limited():
            return
        if tcp.slow_start():
            acked = grow_exponentially(tcp, acked)
            if not acked:
                return
        self.update(tcp, acked)
        grow_linearly(tcp, self.per, acked)

    def update(self, tcp: Socket, acked: cython.int) -> cython.void:
        """Set how many acknowledged segments make the window grow by one."""
        share: cython.longlong
        most: cython.longlong
        self.acked += acked
        if self.last_window == tcp.cwnd and tcp.jiffies - self.last_time <= 31:
            return
        if not (self.epoch and tcp.jiffies == self.last_time):
            self.follow_curve(tcp, acked)
        # Reno's growth with the same reduction, 3 (1 - beta) / (1 + beta) each round trip
        share = (tcp.cwnd * 15) >> 3
        while self.acked > share:
            self.acked -= share
            self.reno_window += 1
        if self.reno_window > tcp.cwnd:
            most = tcp.cwnd // (self.reno_window - tcp.cwnd)
            if self.per > most:
                self.per = most
        if self.per < 2:
            self.per = 2

    def follow_curve(self, tcp: Socket, acked: cython.int) -> cython.void:
        """Set the growth that the cubic function asks for a round trip from now."""
        time: cython.longlong
        away: cython.longlong
        change: cython.longlong
        target: cython.longlong
        self.last_window = tcp.cwnd
        self.last_time = tcp.jiffies
        if self.epoch == 0:
            self.epoch = tcp.jiffies if tcp.jiffies else 1
            self.acked = acked
            self.reno_window = tcp.cwnd
            if self.last_greatest <= tcp.cwnd:
                self.to_origin = 0
                self.origin = tcp.cwnd
            else:
                change = self.last_greatest - tcp.cwnd
                self.to_origin = cube_root((change << 40) // 410)
                self.origin = self.last_greatest
        time = tcp.jiffies - self.epoch + (self.least_delay + 999) // 1000
        time = (time << 10) // 1000
        away = self.to_origin - time if time < self.to_origin else time - self.to_origin
        if away > 250000:
            away = 250000
        change = (410 * away * away * away) >> 40
        target = self.origin - change if time < self.to_origin else self.origin + change
        self.per = tcp.cwnd // (target - tcp.cwnd) if target > tcp.cwnd else 100 * tcp.cwnd
        if self.last_greatest == 0 and self.per > 20:
            self.per = 20

    def sample(self, tcp: Socket, rtt: cython.longlong) -> cython.void:
        """Keep the least delay, and watch whether slow start should end."""
        if rtt < 0 or (self.epoch and tcp.jiffies - self.epoch < 1000):
            return
        if rtt == 0:
            rtt = 1
        if self.least_delay == 0 or self.least_delay > rtt:
            self.least_delay = rtt
        if self.hystart and not self.found and tcp.slow_start():
            self.watch(tcp, rtt)

    def watch(self, tcp: Socket, delay: cython.longlong) -> cython.void:
        """HyStart: end slow start when the train of a round or its delays get long."""
        limit: cython.longlong
        if tcp.una > self.round_end:
            self.start_round(tcp)
        if tcp.cwnd < 16:
            return
        if tcp.time - self.last_ack <= 2000:
            self.last_ack = tcp.time
            limit = 0
            if tcp.pacing_rate:
                limit = 4000000  # by itself first: the product takes 64 bits
                limit = limit * tcp.gso_bytes // tcp.pacing_rate
                if limit > 1000:
                    limit = 1000
            limit += self.least_delay
            if not self.paces:
                limit >>= 1
            if tcp.time - self.round_start > limit:
                self.found = True
                tcp.ssthresh = tcp.cwnd
        if self.round_delay > delay:
            self.round_delay = delay
        if self.samples < 8:
            self.samples += 1
            return
        limit = self.least_delay >> 3
        if limit < 4000:
            limit = 4000
        if limit > 16000:
            limit = 16000
        if self.round_delay > self.least_delay + limit:
            self.found = True
            tcp.ssthresh = tcp.cwnd
