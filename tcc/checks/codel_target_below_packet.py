"""`codel-target-below-packet`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_duration, format_rate, time_for

PACKET = 1514
TENTH = 100_000
MS = 1_000_000


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each fq_codel whose target is shorter than one packet takes."""
    for side in view.sides:
        inner = side.option("inner")
        if inner is None or inner.kind != "fq_codel" or inner.options is None:
            continue
        target = inner.options.target
        if target is None or side.rate is None:
            continue
        takes = time_for(PACKET, side.rate)
        if target < takes:
            enough = -(-takes * 3 // 2 // MS) * MS
            yield warning(
                "codel-target-below-packet",
                view.span(*side.path, "qdisc", "options", "inner", "options", "target"),
                f"one packet takes {format_duration(takes - takes % TENTH)} of "
                f"{format_rate(side.rate)}",
                "two packets of one flow are above the target already, so CoDel drops from flows "
                "that make no queue, and transfers stay below the rate",
                f"write target {format_duration(enough)}, or use cake, which knows the rate",
            )
