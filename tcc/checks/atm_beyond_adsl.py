"""`atm-beyond-adsl`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_rate

FASTEST = 24_000_000
"""bit/s that ADSL2+ reaches at the very most (ITU-T G.992.5); VDSL2 uses PTM."""
GUESSES = ("unknown", "conservative")


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for cells on a line that is faster than any that has them."""
    seen: set[int | str] = set()
    for side in view.sides:
        framing = side.link.framing
        if framing is None or framing.preset in GUESSES or side.path[1] in seen:
            continue
        if side.wire.cells != "atm" or side.rate is None or side.rate <= FASTEST:
            continue
        seen.add(side.path[1])
        yield warning(
            "atm-beyond-adsl",
            view.at_link(side, "framing"),
            f"no line with ATM cells carries {format_rate(side.rate)}",
            f"ADSL2+ ends at {format_rate(FASTEST)}; on any other line 5 of 53 bytes (9.4%) are "
            "given away",
            "VDSL: framing pppoe-ptm or bridged-ptm; fibre: ethernet; cable: docsis",
        )
