"""`rtt-below-path`."""

from collections.abc import Iterator

from tcc.checks.line_unshaped import MODEMS
from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity, warning
from tcc.ir import Path
from tcc.units import format_duration

ORDER = 10
"""tc-cake(8): the setting should be in the right order of magnitude."""
LAN = 5_000_000
"""ns: no path through a provider's modem has a shorter round trip."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the AQM is set for a much shorter path than there is."""
    for side in view.sides:
        rtt = side.shaping.rtt or side.option("rtt")
        if rtt is None:
            continue
        framing = side.link.framing
        known, place = view.round_trips.get(side.path, (0, ()))
        if rtt * ORDER <= known:
            yield _below(view, side, f"the objective's path takes {format_duration(known)}", place)
        elif rtt < LAN and framing is not None and framing.preset in MODEMS:
            yield _below(view, side, f"a {framing.preset} line alone takes longer", ())


def _below(view: View, side: Side, than: str, place: Path) -> Diagnostic:
    related = view.span(*place, "rtt") if place else None
    said = format_duration(side.shaping.rtt or side.option("rtt"))
    item = warning(
        "rtt-below-path",
        view.at_either(side, "rtt", "rtt"),
        f"an rtt of {said} is far too short: {than}",
        "CoDel drops before a sender can have heard of it, so transfers never reach the rate",
        "write the round trip to the far end; `rtt internet` is 100 ms",
    )
    if related is None:
        return item
    return Diagnostic(
        item.code, Severity.WARNING, item.message, item.span, None, item.hints, (),
        (("the objective", related),),
    )  # fmt: skip
