"""`device-is-ifb`."""

from collections.abc import Iterator

from tcc.checks.devices import is_ifb
from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for ingress of an ifb device."""
    for side in view.sides:
        name = view.name(side)
        if side.direction == "ingress" and is_ifb(name):
            yield warning(
                "device-is-ifb",
                view.at_link(side, "device"),
                f"nothing arrives at `{name}`: it is where packets are sent to wait",
                "an ifb gets packets from a filter on another device",
                "name the device at which they arrive; tcc makes the ifb for it",
            )
