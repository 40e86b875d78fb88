"""`tbf-queue-below-window`."""

from collections.abc import Iterator

from tcc.checks.tbf_latency_below_packet import FRAME
from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, warning
from tcc.source import Span
from tcc.units import bytes_in, format_rate, time_for

WINDOW = 10
"""Packets that TCP sends before it has heard anything (RFC 6928)."""
BURST = 1_000_000
"""ns of its rate that TCP sends at once (tcp_tso_autosize() in net/ipv4/tcp_output.c)."""
SOON = 20_000_000
"""ns in which those must be able to leave: on a slower line a short queue may be meant."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each tbf whose queue has no room for one flow's first packets."""
    for side in view.sides:
        if side.kind != "tbf" or side.rate is None or time_for(WINDOW * FRAME, side.rate) > SOON:
            continue
        packets, place = _room(view, side, side.rate)
        needed = max(WINDOW, bytes_in(BURST, side.rate) // FRAME)
        if packets is None or packets >= needed or packets < 1:
            continue
        yield warning(
            "tbf-queue-below-window",
            place,
            f"a queue of {packets} packets at {format_rate(side.rate)} drops from every burst",
            f"a TCP connection begins with {WINDOW} packets at once, and later sends what it has "
            f"for 1 ms in one go: {needed} packets; what has no room is lost",
            "write `latency 20ms`, and no limit",
        )


def _room(view: View, side: Side, rate: int) -> tuple[int | None, Span | None]:
    """Return how many frames may wait, as somebody wrote it, and where."""
    inner = side.option("inner")
    limit = getattr(inner.options, "limit", None) if inner is not None else None
    if inner is not None and limit is not None:
        packets = limit // FRAME if inner.kind == "bfifo" else limit
        return packets, view.span(*side.path, "qdisc", "options", "inner", "options", "limit")
    if side.option("limit") is not None:
        return side.option("limit") // FRAME, view.at_option(side, "limit")
    if side.option("latency") is not None:
        burst = side.option("burst")
        burst = burst if isinstance(burst, int) else bytes_in(BURST, rate) + FRAME
        room = bytes_in(side.option("latency"), rate) + burst
        return room // FRAME, view.at_option(side, "latency")
    return None, None
