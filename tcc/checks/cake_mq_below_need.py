"""`cake-mq-below-need`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, note
from tcc.units import format_rate

ONE_CORE = 250_000_000
"""bit/s that one core of any router of today shapes with plain cake."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a note for each cake_mq at a rate for which one core is enough."""
    for side in view.sides:
        if side.kind == "cake_mq" and side.rate is not None and side.rate <= ONE_CORE:
            yield note(
                "cake-mq-below-need",
                view.at(side, "qdisc"),
                f"one core shapes {format_rate(side.rate)} with plain cake",
                "several queues cost fairness between them, each polls the others, and keeps the "
                "AQM's times of the whole rate; at 92 Mbit a router was seen to spend two cores on "
                "cake_mq and 15% of one on cake",
                "write `qdisc cake`, or `qdisc auto`",
            )
