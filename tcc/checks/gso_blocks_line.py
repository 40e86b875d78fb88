"""`gso-blocks-line`."""

from collections.abc import Iterator

from tcc.checks.view import CAKES, Side, View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_duration, format_rate, format_size, time_for

SUPER_PACKET = 65_536
"""Bytes of the longest packet that TSO and GRO make of ordinary ones."""
TARGET = 5_000_000
"""ns: CoDel's target on the Internet; what one packet may keep others waiting."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where one super-packet holds up the line for longer than the target."""
    for side in view.sides:
        size = _longest(side)
        if side.rate is None or size is None or not _keeps(side):
            continue
        took = time_for(size, side.rate)
        if took > TARGET:
            shown = format_duration(took - took % 100_000)
            yield warning(
                "gso-blocks-line",
                view.at_either(side, "gso", "split_gso"),
                f"one super-packet holds up {format_rate(side.rate)} for {shown}",
                f"up to {format_size(size)} pass as one packet, and nothing can pass in between",
                "write `gso split`, which is what the kernel does by itself",
            )


def _longest(side: Side) -> int | None:
    """Return the bytes that may pass as one packet; None when that is not known.

    tbf splits what is longer than its bucket (tbf_enqueue() in net/sched/sch_tbf.c).
    """
    if side.kind in CAKES:
        return SUPER_PACKET
    burst = side.option("burst")
    return min(SUPER_PACKET, burst) if side.kind == "tbf" and isinstance(burst, int) else None


def _keeps(side: Side) -> bool:
    gso = side.shaping.gso
    if gso is None:
        return side.option("split_gso") is False
    if gso.mode == "split-when" and gso.rate is not None and side.rate is not None:
        return side.rate > gso.rate
    return gso.mode == "keep"
