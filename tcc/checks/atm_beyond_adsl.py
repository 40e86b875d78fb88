"""`atm-beyond-adsl`."""

from collections.abc import Iterator

from tcc.checks.view import GUESSES, Side, View, inward, outward
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_rate

FASTEST = 24_000_000
"""bit/s that ADSL2+ reaches at the very most (ITU-T G.992.5); VDSL2 uses PTM."""
FASTEST_UP = 5_696_000
"""bit/s up of SHDSL.bis (ITU-T G.991.2); ADSL2+ ends at 3.5 Mbit/s (G.992.5 annex M)."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for cells on a line that is faster than any that has them."""
    down = {side.path[1]: side.rate for side in view.sides if _way(side) == "down"}
    seen: set[int | str] = set()
    for side in view.sides:
        framing = side.link.framing
        if framing is None or framing.preset in GUESSES or side.path[1] in seen:
            continue
        if side.wire.cells != "atm" or side.rate is None:
            continue
        most = FASTEST
        if _way(side) == "up" and not _symmetric(side.rate, down.get(side.path[1])):
            most = FASTEST_UP
        rate = _highest(side)
        if rate > most:
            seen.add(side.path[1])
            yield _beyond(view, side, rate, most)


def _highest(side: Side) -> int:
    """Return the highest rate (bit/s) that an autorate daemon may set."""
    bandwidth = side.shaping.bandwidth
    assert side.rate is not None
    return side.rate if bandwidth is None else max(side.rate, bandwidth.maximum or 0)


def _way(side: Side) -> str:
    """Return whether packets go `up`, towards the provider, or `down`; nothing if unknown."""
    if not outward(side.link) and not inward(side.link):
        return ""
    return "up" if (side.direction == "egress") == outward(side.link) else "down"


def _symmetric(up: int, down: int | None) -> bool:
    """Whether it can be several pairs of SHDSL, which is as fast up as down."""
    return down is not None and up * 4 <= down * 5 and down * 4 <= up * 5


def _beyond(view: View, side: Side, rate: int, most: int) -> Diagnostic:
    line = "ADSL2+ ends" if most == FASTEST else "upwards SHDSL.bis ends, and ADSL2+ before it,"
    return warning(
        "atm-beyond-adsl",
        view.at_link(side, "framing"),
        f"no line with ATM cells carries {format_rate(rate)}{'' if most == FASTEST else ' up'}",
        f"{line} at {format_rate(most)}; on any other line 5 of 53 bytes (9.4%) are given away",
        "VDSL: framing pppoe-ptm or bridged-ptm; fibre: ethernet; cable: docsis",
    )
