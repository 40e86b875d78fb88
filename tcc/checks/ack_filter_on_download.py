"""`ack-filter-on-download`."""

from collections.abc import Iterator

from tcc.checks.view import View, inward, outward
from tcc.diagnostics import Diagnostic, note


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a note for ack-filter in the direction of downloads."""
    for side in view.sides:
        if side.shaping.ack_filter not in ("on", "aggressive"):
            continue
        away = outward(side.link) and side.direction == "ingress"
        if away or (inward(side.link) and side.direction == "egress"):
            yield note(
                "ack-filter-on-download",
                view.at(side, "ack_filter"),
                "ack-filter drops acknowledgements of uploads here",
                "they have crossed the line already; it is uplinks many times slower than their "
                "downlink that acknowledgements can fill",
                "write it in the direction of uploads only",
            )
