"""`rate-units-mixed`."""

import re
from collections.abc import Iterator, Mapping

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity
from tcc.source import Span
from tcc.syntax.tree import Clause
from tcc.units import format_rate

IN_BYTES = re.compile(r"[0-9][0-9.]*\s*([kmgtKMGT]i?)?B/s")
IN_BITS = re.compile(r"[0-9][0-9.]*\s*([kmgtKMGT]i?)?[bB][iI][tT]\b")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

Named = Mapping[tuple[str, int], Clause | None]
"""What defines the name that is used at a place."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where one direction's rate is in bytes, and the other's in bits."""
    named = {(use.path, use.start): one.clause for one in view.built.names for use in one.uses}
    rates: dict[int | str, Side] = {}
    for side in view.sides:
        other = rates.setdefault(side.path[1], side)
        if other is side or side.rate is None or other.rate is None:
            continue
        units = [_in_bytes(view, one, named) for one in (other, side)]
        if None not in units and units[0] != units[1]:
            yield _mixed(view, *((other, side) if units[0] else (side, other)))


def _in_bytes(view: View, side: Side, named: Named) -> bool | None:
    """Say whether a rate is written in bytes per second, at least in part; None: no unit seen."""
    text = _written(view, view.at_either(side, "bandwidth", "bandwidth"), named)
    if IN_BYTES.search(text):
        return True
    return False if IN_BITS.search(text) else None


def _written(view: View, span: Span | None, named: Named) -> str:
    """Return the text of an expression, and that of the definitions it names."""
    source = view.built.sources.get(span.path) if span else None
    if span is None or source is None:
        return ""
    own = source.text[span.start : span.end]
    clauses = (named.get((span.path, span.start + word.start())) for word in NAME.finditer(own))
    return " ".join((own, *(_written(view, one.span, named) for one in clauses if one)))


def _mixed(view: View, by_bytes: Side, by_bits: Side) -> Diagnostic:
    rate, place = by_bytes.rate or 0, view.at_either(by_bits, "bandwidth", "bandwidth")
    return Diagnostic(
        "rate-units-mixed",
        Severity.WARNING,
        f"{by_bytes.direction} is given in bytes per second, {by_bits.direction} in bits: "
        f"is it {format_rate(rate)} that is meant, or {format_rate(rate // 8)}?",
        view.at_either(by_bytes, "bandwidth", "bandwidth"),
        hints=(
            "providers sell Mbit/s, and some programs show MB/s; a factor of 8 too much is no "
            "shaper at all",
            f"write both in one unit: {format_rate(rate)} is the same",
        ),
        related=(("the other direction", place),) if place else (),
    )
