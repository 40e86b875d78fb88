"""`objective-mos-above-codec`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, error

BEST = 441
"""Hundredths: a G.711 call without loss and delay (ITU-T G.107: R of 93.2)."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield an error for a score that no call has."""
    for asked in view.asked:
        required = asked.requirement
        if required.metric != "mos" or required.comparison != ">=" or required.ratio is None:
            continue
        if required.ratio * 100 > BEST:
            yield error(
                "objective-mos-above-codec",
                view.span(*asked.path, "ratio"),
                "no call has a score above 4.41",
                "that is G.711 without any loss or delay; people do not give full marks",
                "4.3 is a good call, 4.0 a fair one",
            )
