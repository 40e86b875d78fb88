"""`codel-target-above-interval`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_duration

SHARE = 3
"""The interval over the largest target that still leaves CoDel time to act."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each fq_codel whose target is not well below its interval."""
    for side in view.sides:
        inner = side.option("inner")
        if inner is None or inner.kind != "fq_codel" or inner.options is None:
            continue
        target, interval = inner.options.target, inner.options.interval
        if target is None or interval is None or SHARE * target < interval:
            continue
        yield warning(
            "codel-target-above-interval",
            view.span(*side.path, "qdisc", "options", "inner", "options", "target"),
            f"a target of {format_duration(target)} in an interval of {format_duration(interval)}",
            "CoDel drops once packets have waited longer than `target` for a whole `interval`, a "
            "round trip; it works with a target of 5% to 10% of that",
            f"write target {format_duration(interval // 20)}, or a longer interval",
        )
