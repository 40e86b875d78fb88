"""`tbf-latency-below-packet`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_duration, format_rate, time_for

FRAME = 1514
"""Bytes of an Ethernet frame as a qdisc sees it."""
MS = 1_000_000


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each tbf whose `latency` is over before one frame has left."""
    for side in view.sides:
        latency = side.option("latency")
        if side.kind != "tbf" or side.rate is None or latency is None:
            continue
        took = time_for(FRAME, side.rate)
        if latency >= took:
            continue
        yield warning(
            "tbf-latency-below-packet",
            view.at_option(side, "latency"),
            f"one frame takes {format_duration(took - took % MS)} at {format_rate(side.rate)}, "
            f"longer than {format_duration(latency)}",
            "beside the burst there is no room for a frame: of two that wait, one is dropped",
            "was a higher rate meant? Else write a latency of several frames",
        )
