"""`mark-mask-on-ingress`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where tins are chosen by marks that packets do not have yet."""
    for side in view.sides:
        if side.direction != "ingress":
            continue
        if side.shaping.mark_mask or side.option("fwmark"):
            yield warning(
                "mark-mask-on-ingress",
                view.at_either(side, "mark_mask", "fwmark"),
                "arriving packets have no mark yet when they are shaped",
                "they go to the ifb before netfilter sees them, so every mark is 0 and the mask "
                "chooses nothing",
                "write `tier` blocks: they reach ingress through conntrack",
            )
