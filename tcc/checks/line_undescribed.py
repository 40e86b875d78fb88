"""`line-undescribed`."""

from collections.abc import Iterator

from tcc.checks.devices import is_virtual
from tcc.checks.view import CAKES, View
from tcc.diagnostics import Diagnostic, warning

SAYS_FRAMING = ("preset", "overhead", "raw")


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each line with a rate of which nothing else is said."""
    said: set[int | str] = set()
    for side in view.sides:
        index = side.path[1]
        link = side.link
        if index in said or side.rate is None or link.framing or link.role:
            continue
        if view.unknown("links", index, "framing") or view.unknown("links", index, "role"):
            continue
        if side.kind not in CAKES or any(side.option(name) is not None for name in SAYS_FRAMING):
            continue
        name = view.name(side)
        if not name or is_virtual(name):
            continue
        said.add(index)
        yield warning(
            "line-undescribed",
            view.span("links", index),
            f"nothing is said of the line behind `{name}`, nor of who uses it",
            "what a line adds to packets (8 to 48 bytes) is more than the margin of most rates, "
            "and behind NAT all hosts look like one",
            "write a `framing` (`tcc explain framing` lists them; `framing raw` adds nothing) and "
            "a `role`: router, bridge or host",
        )
