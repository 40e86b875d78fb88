"""`wash-before-tiers`."""

from collections.abc import Iterator

from tcc.checks.view import CAKES, Side, View, inward, outward
from tcc.diagnostics import Diagnostic, Severity


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where one link clears the marks that another one sorts by."""
    sorting = {
        (inward(side.link), side.direction): side
        for side in reversed(view.sides)
        if side.direction == "egress" and side.kind in CAKES and _sorts(side)
    }
    for side in view.sides:
        washes = side.shaping.dscp == "wash" or side.option("wash") is True
        if not washes or side.direction != "ingress":
            continue
        if not (outward(side.link) or inward(side.link)):
            continue
        later = sorting.get((not inward(side.link), "egress"))
        if later is not None and (inward(later.link) or outward(later.link)):
            yield _washed(view, side, later)


def _sorts(side: Side) -> bool:
    mode = side.shaping.tiers or side.option("diffserv")
    return mode not in (None, "besteffort") and side.link.role is not None


def _washed(view: View, side: Side, later: Side) -> Diagnostic:
    place = view.at(later, "tiers")
    span = view.at_either(side, "dscp", "wash")
    return Diagnostic(
        "wash-before-tiers",
        Severity.WARNING,
        f"the marks that `{later.link.name}` sorts by are cleared here",
        span,
        hints=(
            "packets come in here, lose their DSCP, and leave by the other link as Best Effort",
            "write `dscp keep` here, or `tiers besteffort` there",
        ),
        related=(("sorted by DSCP here", place),) if place else (),
    )
