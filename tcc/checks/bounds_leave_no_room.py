"""`bounds-leave-no-room`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_rate


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for bounds between which an autorate daemon can set one rate only."""
    for side in view.sides:
        bandwidth = side.shaping.bandwidth
        if bandwidth is None or view.unknown(*side.path, "bandwidth"):
            continue
        if bandwidth.minimum is not None and bandwidth.minimum == bandwidth.maximum:
            yield warning(
                "bounds-leave-no-room",
                view.at(side, "bandwidth"),
                f"both bounds are {format_rate(bandwidth.minimum)}",
                "the daemon measures and never changes anything: the rate stays where it is, 0 "
                "bit/s below and 0 above",
                "write what the line falls to and what it reaches, or the rate alone",
            )
