"""`autorate-on-fixed-line`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the rate of a DSL line, which is fixed, is to be estimated."""
    for side in view.sides:
        framing = side.link.framing
        if side.direction != "ingress" or not side.option("autorate_ingress"):
            continue
        if framing is None or framing.preset in ("unknown", "conservative"):
            continue
        if side.wire.cells != "none":
            yield warning(
                "autorate-on-fixed-line",
                view.at_option(side, "autorate_ingress"),
                "autorate-ingress on a DSL line, whose rate does not move",
                "the estimate follows what happens to arrive: after a quiet hour it is too low, "
                "and 20mbit have been seen to become 87kbit",
                "leave it out and write `bandwidth`: 85% to 90% of the sync rate",
            )
