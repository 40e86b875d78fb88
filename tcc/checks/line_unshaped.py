"""`line-unshaped`."""

from collections.abc import Iterator

from tcc.checks.view import CAKES, View
from tcc.diagnostics import Diagnostic, warning
from tcc.ir.framing import PRESETS

MODEMS = frozenset(
    name for name, wire in PRESETS.items() if wire.cells != "none" and name != "unknown"
) - {"conservative"} | {"docsis"}
"""Framings of lines whose queue is in a modem, outside this machine."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each direction through a modem that has no rate."""
    for side in view.sides:
        framing = side.link.framing
        if framing is None or framing.preset not in MODEMS or side.kind not in CAKES:
            continue
        if side.rate is not None or view.unknown(*side.path, "bandwidth"):
            continue
        if side.option("autorate_ingress"):
            continue
        yield warning(
            "line-unshaped",
            view.at(side, "bandwidth"),
            f"{side.direction} has no rate, so the queue stays in the modem",
            f"a {framing.preset} line is slower than the device in front of it: what waits, waits "
            "beyond the reach of any qdisc here",
            "write a `bandwidth` of 85% to 95% of what the line gives",
        )
