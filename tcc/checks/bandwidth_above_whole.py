"""`bandwidth-above-whole`."""

import re
from collections.abc import Iterator

from tcc.checks.view import Side, View, outward
from tcc.diagnostics import Diagnostic, warning

SHARE = re.compile(r"\s*([0-9.]+)%\s+of\b")


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where a line's rate is set to more than all of what it has.

    Towards customers more than all of a plan is right: providers allow for headers.
    """
    for side in view.sides:
        share = _share(view, side) if outward(side.link) else 0.0
        if share > 100:
            yield warning(
                "bandwidth-above-whole",
                view.at(side, "bandwidth"),
                f"{share:g}% of the line is more than the line",
                "a shaper that is faster than its line never has a queue: every packet waits in "
                "the modem, as if nothing had been set",
                "write 85% to 95%",
            )


def _share(view: View, side: Side) -> float:
    """Return the percentage that the rate begins with in the text; 0 when there is none."""
    span = view.at(side, "bandwidth")
    source = view.built.sources.get(span.path) if span else None
    if span is None or source is None:
        return 0.0
    found = SHARE.match(source.text[span.start : span.end])
    return float(found[1]) if found else 0.0
