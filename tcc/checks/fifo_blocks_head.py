"""`fifo-blocks-head`."""

from collections.abc import Iterator

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_duration, time_for

LONG = 25_000_000
"""ns that a call notices."""
DEFAULT = 50_000_000
"""ns: the latency of a tbf that says none."""
FIFOS = ("bfifo", "pfifo")
PACKET = 1514


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each tbf in which every flow waits behind a long transfer."""
    for side in view.sides:
        if side.kind != "tbf" or side.rate is None or side.shaping.backpressure is not None:
            continue
        inner = side.option("inner")
        if inner is None and side.shaping.fairness in ("per-flow", "flows"):
            continue
        if inner is not None and inner.kind not in FIFOS:
            continue
        waits = _longest_wait(side, inner)
        if waits >= LONG:
            yield warning(
                "fifo-blocks-head",
                view.at_option(side, "inner" if inner is not None else "latency"),
                f"every packet may wait {format_duration(waits)} behind one transfer",
                "all flows share one queue inside this tbf, and the longest one fills it",
                "write `inner fq_codel`, which keeps flows apart and its queue short",
            )


def _longest_wait(side: Side, inner: object) -> int:
    """Return for how many ns a full queue drains, rounded to 0.1 ms."""
    assert side.rate is not None
    limit = getattr(getattr(inner, "options", None), "limit", None)
    if limit is not None and getattr(inner, "kind", "") == "pfifo":
        limit *= PACKET
    if limit is None:
        limit = side.option("limit")
    if limit is None:
        return int(side.option("latency") or DEFAULT)
    waits = time_for(int(limit), side.rate)
    return waits - waits % 100_000
