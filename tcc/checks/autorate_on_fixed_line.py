"""`autorate-on-fixed-line`."""

from collections.abc import Iterator

from tcc.checks.view import GUESSES, Side, View
from tcc.diagnostics import Diagnostic, warning

FAST = 300_000_000
"""bit/s above which only fibre is as fast up as down."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the rate of DSL or fibre, which is fixed, is to be estimated."""
    for side in view.sides:
        framing = side.link.framing
        if side.direction != "ingress" or not side.option("autorate_ingress"):
            continue
        if framing is None or framing.preset in GUESSES:
            continue
        line = "a DSL line" if side.wire.cells != "none" else _symmetric(view, side)
        if line:
            yield warning(
                "autorate-on-fixed-line",
                view.at_option(side, "autorate_ingress"),
                f"autorate-ingress on {line}, whose rate does not move",
                "the estimate follows what happens to arrive: after a quiet hour it is too low, "
                "and 20mbit have been seen to become 87kbit",
                "leave it out and write `bandwidth`: 85% to 95% of what the line gives",
            )


def _symmetric(view: View, side: Side) -> str:
    """Return `fibre` for a fast line with Ethernet's framing that is as fast up as down.

    Cable, mobile networks and satellites have Ethernet's framing too, and are slower up.
    """
    framing = side.link.framing
    up = next((one for one in view.sides if one.link is side.link and one is not side), None)
    if framing is None or framing.preset != "ethernet" or side.rate is None:
        return ""
    if up is None or up.rate is None or side.rate < FAST or up.rate * 10 < side.rate * 9:
        return ""
    return "fibre"
