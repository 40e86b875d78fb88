"""`ifb-name-collision`."""

from collections.abc import Iterator

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity

PREFIX = "ifb4"
LONGEST = 15
"""Bytes of an interface name (IFNAMSIZ without its zero)."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where sqm would give two devices one ifb."""
    first: dict[str, tuple[str, Side]] = {}
    for side in view.sides:
        name = view.device(side.link, side.path[1])
        if side.direction != "ingress" or name is None:
            continue
        ifb = (PREFIX + name)[:LONGEST]
        other, taken = first.setdefault(ifb, (name, side))
        if other == name:
            continue
        place = view.at_link(taken, "device")
        yield Diagnostic(
            "ifb-name-collision",
            Severity.WARNING,
            f"sqm would use one ifb, `{ifb}`, for `{other}` and `{name}`",
            view.at_link(side, "device"),
            hints=(
                f"sqm cuts {PREFIX} and the name to {LONGEST} bytes; the second start takes the "
                "first one's download shaper away",
                "give the device a shorter name (`option name` in /etc/config/network)",
            ),
            related=(("the other device", place),) if place else (),
        )
