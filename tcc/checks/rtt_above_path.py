"""`rtt-above-path`."""

from collections.abc import Iterator

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity
from tcc.source import Span
from tcc.units import format_duration

LONGEST = 3_000_000_000
"""ns: two hops by geostationary satellites take 1.2 s."""
LONG = 1_000_000_000
"""ns from which an objective's path is asked."""
ORDER = 10
TARGET = 20
"""The interval over CoDel's target (RFC 8289, section 4.4)."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the AQM is set for a path that is longer than any, or than there is."""
    for side in view.sides:
        rtt = side.shaping.rtt or side.option("rtt") or 0
        known, place = view.round_trips.get(side.path, (0, ()))
        if known and rtt >= LONG and rtt >= ORDER * known:
            than = f"the objective's path takes {format_duration(known)}"
            yield _above(view, side, than, view.span(*place, "rtt"))
        elif rtt > LONGEST:
            yield _above(view, side, "no path on Earth takes a third of it", None)


def _above(view: View, side: Side, than: str, related: Span | None) -> Diagnostic:
    rtt = side.shaping.rtt or side.option("rtt")
    return Diagnostic(
        "rtt-above-path",
        Severity.WARNING,
        f"an rtt of {format_duration(rtt)} is far too long: {than}",
        view.at_either(side, "rtt", "rtt"),
        hints=(
            f"CoDel leaves a queue of up to {format_duration(rtt // TARGET)} alone, and begins to "
            f"drop after {format_duration(rtt)} of more",
            "was ms meant? `rtt internet` is 100 ms, `satellite` is 1 s",
        ),
        related=(("the objective", related),) if related else (),
    )
