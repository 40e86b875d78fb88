# cython: cdivision=True
"""CAKE's estimate of the rate at which packets arrive, for `autorate-ingress`.

Source: the end of cake_enqueue() in net/sched/sch_cake.c; CAKE specification section 5.5.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

M64 = 0xFFFFFFFFFFFFFFFF


class RateEstimator:
    """Peak rate of what arrives, in bytes/s, from windows that end with a pause.

    Args:
        rate: to start with.
    """

    def __init__(self, rate: int) -> None:
        self.peak_rate = rate
        self.window_bytes = 0
        self.average_gap = 0
        self.window_begin = 0
        self.last_packet = 0
        self.last_change = 0

    def note(self, bytes: cython.longlong, now: cython.longlong) -> cython.bint:
        """Note a packet; say whether the shaper is to follow the estimate, every 250 ms at most.

        `bytes` is less than 0 where a longer ACK went for a shorter one.
        """
        gap: cython.ulonglong = now - self.last_packet
        rate: cython.ulonglong
        self.window_bytes = (self.window_bytes + bytes) & M64
        gap = min(gap, 1_000_000_000)
        if gap > self.average_gap:
            self.average_gap += (gap >> 2) - (self.average_gap >> 2)
        else:
            self.average_gap += (gap >> 8) - (self.average_gap >> 8)
        self.last_packet = now
        if gap <= self.average_gap:
            return False
        rate = ((self.window_bytes * 1_000_000_000) & M64) // (now - self.window_begin)
        if rate > self.peak_rate:
            self.peak_rate += (rate >> 2) - (self.peak_rate >> 2)
        else:
            self.peak_rate += (rate >> 8) - (self.peak_rate >> 8)
        self.window_bytes = 0
        self.window_begin = now
        if now <= self.last_change + 250_000_000:
            return False
        self.last_change = now
        return True
