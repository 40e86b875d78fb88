"""`bandwidth-above-device`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_rate


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each rate that the device itself cannot do."""
    assert view.facts is not None
    speeds = {device.name: device.speed for device in view.facts.devices}
    for side in view.sides:
        name = view.name(side)
        speed = speeds.get(name)
        if speed is None or side.rate is None or side.rate <= speed:
            continue
        yield warning(
            "bandwidth-above-device",
            view.at_either(side, "bandwidth", "bandwidth"),
            f"{format_rate(side.rate)} is more than the {format_rate(speed)} of `{name}`",
            "the shaper never holds anything back, so the queue is in the device",
            f"write at most {format_rate(speed)}, or `bandwidth unlimited`",
        )
