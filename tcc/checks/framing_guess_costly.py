"""`framing-guess-costly`."""

from collections.abc import Iterator

from tcc.checks.view import GUESSES, View
from tcc.checks.wire import on_wire
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_rate

FAST = 200_000_000
"""bit/s at which every kind of fixed line is known not to have cells."""
PACKET = 1500


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where a fast line with a fixed rate is counted as if it had ATM cells."""
    seen: set[int | str] = set()
    for side in view.sides:
        framing, bandwidth = side.link.framing, side.shaping.bandwidth
        if framing is None or framing.preset not in GUESSES or side.path[1] in seen:
            continue
        if side.rate is None or side.rate < FAST:
            continue
        if bandwidth is not None and bandwidth.minimum is not None:
            continue
        seen.add(side.path[1])
        lost = side.rate - side.rate * PACKET // on_wire(PACKET, side.wire)
        yield warning(
            "framing-guess-costly",
            view.at_link(side, "framing"),
            f"this guess keeps {format_rate(lost // 1_000_000 * 1_000_000)} of "
            f"{format_rate(side.rate)} back",
            "it counts 48 bytes for each packet and ATM cells, 5 of 53 bytes; lines with cells "
            "end at 24 Mbit/s",
            "fibre: framing ethernet; cable: framing docsis",
        )
