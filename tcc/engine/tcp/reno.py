# cython: cdivision=True
"""Reno (RFC 5681), as Linux has it: net/ipv4/tcp_cong.c."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.tcp.socket import Congestion, Socket


def grow_exponentially(tcp: Socket, acked: cython.int) -> cython.int:
    """Grow by what was acknowledged, up to the threshold; answer what is left over."""
    window: cython.longlong = tcp.cwnd + acked
    if window > tcp.ssthresh:
        window = tcp.ssthresh
    acked -= window - tcp.cwnd
    tcp.cwnd = window
    return acked


def grow_linearly(tcp: Socket, per: cython.longlong, acked: cython.int) -> cython.void:
    """Grow by one segment for every `per` acknowledged."""
    steps: cython.longlong
    if tcp.cwnd_count >= per:
        tcp.cwnd_count = 0
        tcp.cwnd += 1
    tcp.cwnd_count += acked
    if tcp.cwnd_count >= per:
        steps = tcp.cwnd_count // per
        tcp.cwnd_count -= steps * per
        tcp.cwnd += steps


class Reno(Congestion):
    """One segment more each round trip, half after a loss."""

    def threshold(self, tcp: Socket) -> cython.longlong:
        """Answer half the window."""
        return tcp.cwnd >> 1 if tcp.cwnd > 4 else 2

    def grow(self, tcp: Socket, acked: cython.int) -> cython.void:
        """Grow, if the window held the sender back."""
        if not tcp.limited():
            return
        if tcp.slow_start():
            acked = grow_exponentially(tcp, acked)
            if not acked:
                return
        grow_linearly(tcp, tcp.cwnd, acked)
