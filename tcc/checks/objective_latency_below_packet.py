"""`objective-latency-below-packet`."""

from collections.abc import Iterator

from tcc.checks.loads import load_of
from tcc.checks.view import View
from tcc.checks.wire import on_wire
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_duration, format_rate, time_for

METRICS = ("induced-latency", "sojourn")
TAILS = {"p95": 85, "p99": 90, "p99.9": 90, "max": 90}
"""Per cent of a packet's time that this share of the probes must be allowed."""
SLOWEST = {"p95": "5%"}
PACKET = 1500


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where one packet in front takes longer than the bound.

    On a busy line a probe arrives at any moment of the packet that is being sent, so of all
    probes 1% wait longer than 99% of it, and 5% longer than 95%. A tenth less leaves room for
    the count of probes.
    """
    for asked in view.asked:
        required = asked.requirement
        bound = required.duration
        if required.metric not in METRICS or required.statistic not in TAILS or bound is None:
            continue
        if required.comparison != "<=":
            continue
        busy = load_of(view, asked).busy
        for side in asked.sides:
            if side.rate is None or side.direction not in busy:
                continue
            took = time_for(on_wire(PACKET, side.wire), side.rate)
            if bound < took * TAILS[required.statistic] // 100:
                shown = format_duration(took - took % 10_000)
                yield warning(
                    "objective-latency-below-packet",
                    view.span(*asked.path, "duration"),
                    f"one packet takes {shown} at {format_rate(side.rate)}",
                    "a packet that is being sent cannot be overtaken, so no shaper can meet this "
                    f"for the slowest {SLOWEST.get(required.statistic, '1%')}",
                    "write a bound of at least one packet's time",
                )
                break
