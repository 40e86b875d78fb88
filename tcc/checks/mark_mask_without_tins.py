"""`mark-mask-without-tins`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where marks choose among one tin."""
    for side in view.sides:
        mode = side.shaping.tiers or side.option("diffserv")
        if side.shaping.mark_mask and mode == "besteffort":
            yield warning(
                "mark-mask-without-tins",
                view.at(side, "mark_mask"),
                "marks choose the tin, and `besteffort` has one",
                "every packet waits in the same tin, whatever its mark",
                "write `tiers diffserv4`, or leave the mask out",
            )
