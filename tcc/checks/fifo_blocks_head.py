"""`fifo-blocks-head`."""

from collections.abc import Iterator

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import QdiscChoice
from tcc.units import format_duration, time_for

LONG = 25_000_000
"""ns that a call notices."""
DEFAULT = 50_000_000
"""ns: the latency of a tbf that says none."""
FIFOS = ("bfifo", "pfifo")
FEW = 8
"""Queues among which a call shares one with a transfer, of 8 at once, more often than not."""
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
            yield from _few_queues(view, side, inner)
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


def _few_queues(view: View, side: Side, inner: QdiscChoice) -> Iterator[Diagnostic]:
    """Yield a warning for flow queueing with hardly any queues to keep flows apart."""
    for name in ("flows", "divisor"):
        queues = getattr(inner.options, name, None)
        if queues is not None and queues < FEW:
            yield warning(
                "fifo-blocks-head",
                view.span(*side.path, "qdisc", "options", "inner", "options", name),
                f"{queues} queue{'s are' if queues > 1 else ' is'} for all flows together",
                "flows that hash to one queue wait for each other: of 8 transfers and a call, one "
                f"shares the call's queue in {round(100 * (1 - (1 - 1 / queues) ** 8))}% of cases",
                f"leave `{name}` out: fq_codel has 1024 queues, and sfq 128 flows",
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
