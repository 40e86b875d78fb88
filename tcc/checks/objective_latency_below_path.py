"""`objective-latency-below-path`."""

from collections.abc import Iterator

from tcc.checks.loads import load_of
from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, error
from tcc.units import format_duration


def check(view: View) -> Iterator[Diagnostic]:
    """Yield an error for each latency that is shorter than the idle path."""
    for asked in view.asked:
        required, rtt = asked.requirement, asked.objective.rtt
        if required.metric != "latency" or required.comparison != "<=" or rtt is None:
            continue
        bound = required.duration
        if bound is None or bound >= rtt or load_of(view, asked).own_paths:
            continue
        yield error(
            "objective-latency-below-path",
            view.span(*asked.path, "duration"),
            f"the idle path alone takes {format_duration(rtt)}",
            "latency is the whole round trip, so no shaper can meet this",
            "write a longer bound, or require `induced-latency`: what the queues add",
        )
