"""`codel-target-below-packet`."""

from collections.abc import Iterator

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import QdiscChoice
from tcc.units import format_duration, format_rate, time_for

PACKET = 1514
TENTH = 100_000
MS = 1_000_000
DEFAULT = 5_000_000
"""ns: the target of an fq_codel that says none (sch_fq_codel.c)."""
INTERVAL = 100_000_000
"""ns of the round trip that CoDel allows for beside a packet."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each fq_codel whose target is shorter than one packet takes."""
    for side in view.sides:
        inner = side.option("inner")
        if inner is None or inner.kind != "fq_codel" or side.rate is None:
            continue
        takes = time_for(PACKET, side.rate)
        if _target(side, inner) < takes:
            yield _finding(view, side, takes, getattr(inner.options, "target", None) is None)


def _target(side: Side, inner: QdiscChoice) -> int:
    """Return the target (ns): as it is said, a twentieth of the round trip, or the kernel's."""
    target: int | None = getattr(inner.options, "target", None)
    rtt = side.shaping.rtt or getattr(inner.options, "interval", None) or 20 * DEFAULT
    return int(rtt) // 20 if target is None else target


def _finding(view: View, side: Side, takes: int, derived: bool) -> Diagnostic:
    rate = format_rate(side.rate or 0)
    enough = -(-takes * 3 // 2 // MS) * MS
    path = (*side.path, "qdisc", "options", "inner")
    return warning(
        "codel-target-below-packet",
        view.span(*path) if derived else view.span(*path, "options", "target"),
        f"one packet takes {format_duration(takes - takes % TENTH)} of {rate}"
        + (", longer than a target that is not set" if derived else ""),
        "two packets of one flow are above the target already, so CoDel drops from flows that "
        "make no queue, and transfers stay below the rate",
        f"write target {format_duration(enough)}; interval {format_duration(enough + INTERVAL)}, "
        "or use cake, which knows the rate",
    )
