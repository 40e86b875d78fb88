"""`objective-without-bandwidth`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, error


def check(view: View) -> Iterator[Diagnostic]:
    """Yield an error for the utilisation of a direction that has no rate."""
    for asked in view.asked:
        if asked.requirement.metric != "utilisation":
            continue
        rated = {side.direction for side in asked.sides if side.rate is not None}
        rated |= {side.direction for side in asked.sides if view.unknown(*side.path, "bandwidth")}
        for direction in asked.directions:
            if direction in rated:
                continue
            yield error(
                "objective-without-bandwidth",
                view.span(*asked.path, "metric"),
                f"{direction} of `{asked.link.name}` has no rate to be used",
                "utilisation is what passes over the bandwidth; without a direction, of both",
                "write a direction, or a `bandwidth` for it",
            )
            break
