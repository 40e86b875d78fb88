"""`bandwidth-implausible`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_duration, format_rate, time_for

SLOWEST = 64_000
"""bit/s of one ISDN channel."""
BELOW_PLUGINS = 512
"""bit/s below which the plugins say why the kernel cannot do it."""
PACKET = 1500
MS = 1_000_000


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each rate that is slower than any line of today."""
    for side in view.sides:
        if side.rate is None or side.rate >= SLOWEST or side.rate < BELOW_PLUGINS:
            continue
        took = time_for(PACKET, side.rate) // MS * MS
        yield warning(
            "bandwidth-implausible",
            view.at_either(side, "bandwidth", "bandwidth"),
            f"{format_rate(side.rate)} is less than one ISDN channel",
            f"one packet of {PACKET} bytes takes {format_duration(took)}, and everything waits",
            "was mbit meant?" if side.rate >= 1000 else "were kbit or mbit meant?",
        )
