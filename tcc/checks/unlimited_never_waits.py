"""`unlimited-never-waits`."""

from collections.abc import Iterator

from tcc.checks.devices import is_passed_through
from tcc.checks.line_unshaped import MODEMS
from tcc.checks.view import CAKES, Side, View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where there is no rate, and nothing else that could make packets wait.

    A line through a modem is another rule's, `line-unshaped`.
    """
    for side in view.sides:
        framing = side.link.framing
        if side.rate is not None or side.kind not in CAKES or side.option("autorate_ingress"):
            continue
        if view.unknown(*side.path, "bandwidth") or (framing and framing.preset in MODEMS):
            continue
        reason = _nothing_waits(view, side)
        if reason:
            yield warning(
                "unlimited-never-waits",
                view.at_either(side, "bandwidth", "bandwidth"),
                f"without a rate nothing ever waits here: {reason}",
                "of 0 waiting packets a qdisc can sort, mark and drop none, whatever it is told",
                "write a `bandwidth`, or shape the device whose line is slow",
            )


def _nothing_waits(view: View, side: Side) -> str:
    if side.direction == "ingress":
        return "an ifb hands packets on as fast as they come in"
    name = view.name(side)
    return f"`{name}` hands packets on to another device at once" if is_passed_through(name) else ""
