"""`directions-swapped`."""

from collections.abc import Iterator

from tcc.checks.devices import is_mobile
from tcc.checks.line_unshaped import MODEMS
from tcc.checks.view import Side, View, inward, outward
from tcc.diagnostics import Diagnostic, Severity
from tcc.units import format_rate

ALWAYS = 4
"""How many times faster up than down no line to a provider is."""
OF_MODEMS = 2
"""The same of lines that are made to be faster down."""
TETHERED = "usb"
"""A telephone or a modem on a cable (drivers/net/usb/usbnet.c)."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where a line is faster towards the provider than from it."""
    rates: dict[int | str, Side] = {}
    for side in view.sides:
        other = rates.setdefault(side.path[1], side)
        if other is side or side.rate is None or other.rate is None:
            continue
        if outward(side.link):
            up, down = (side, other) if side.direction == "egress" else (other, side)
        elif inward(side.link):
            up, down = (side, other) if side.direction == "ingress" else (other, side)
        else:
            continue
        assert up.rate is not None
        assert down.rate is not None
        framing = side.link.framing
        modem = framing is not None and framing.preset in MODEMS
        name = view.name(side)
        slower_up = modem or is_mobile(name) or name.startswith(TETHERED)
        times = OF_MODEMS if slower_up else ALWAYS
        if up.rate >= times * down.rate:
            yield _swapped(view, up, down)


def _swapped(view: View, up: Side, down: Side) -> Diagnostic:
    place = view.at_either(down, "bandwidth", "bandwidth")
    return Diagnostic(
        "directions-swapped",
        Severity.WARNING,
        f"{format_rate(up.rate or 0)} up and {format_rate(down.rate or 0)} down: are they swapped?",
        view.at_either(up, "bandwidth", "bandwidth"),
        hints=(
            f"with this role the hosts send by {up.direction} and receive by {down.direction}; the "
            "faster direction would be held down and the slower one not shaped at all",
            "exchange the rates, or say `facing hosts` if the device is on the hosts' side",
        ),
        related=(("the other direction", place),) if place else (),
    )
