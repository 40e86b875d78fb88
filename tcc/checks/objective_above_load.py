"""`objective-above-load`."""

from collections.abc import Iterator
from fractions import Fraction

from tcc.checks.loads import PREDEFINED, TURNED, load_of
from tcc.checks.view import Asked, Side, View, inward
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import Part
from tcc.units import format_rate

CALL = 100_000
"""bit/s of one call at the most, headers and framing included."""
ACKNOWLEDGEMENTS = 16
"""TCP's rate over that of its acknowledgements, which is 20 or more."""
LARGER = {"goodput": Fraction(21, 20), "throughput": Fraction(2), "utilisation": Fraction(2)}
"""By metric, how much more may be counted than is sent: what was on the way when the measurement
began, and headers and framing of small packets."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where senders with rates of their own send less than is asked for."""
    for asked in view.asked:
        required = asked.requirement
        if required.metric not in LARGER or required.comparison != ">=":
            continue
        if required.subject is not None or not _known(view, asked):
            continue
        for side in asked.sides:
            if side.rate is None or side.direction in load_of(view, asked).busy:
                continue
            wanted = side.rate * (required.ratio or 0) if required.rate is None else required.rate
            sent = _sent(view, asked, side)
            if wanted > sent * LARGER[required.metric]:
                yield _finding(view, asked, side, sent)
                break


def _known(view: View, asked: Asked) -> bool:
    """Whether all of the load is understood: flent's floods have rates of their own."""
    names = [use.name for use in asked.objective.under]
    return all(name in view.workloads or name in PREDEFINED for name in names)


def _sent(view: View, asked: Asked, side: Side) -> Fraction:
    """Return the most that is sent in a direction (bit/s), which no TCP keeps busy."""
    load = load_of(view, asked)
    sent = sum((_of(part, side) for part in load.parts), Fraction())
    other = next((each.rate for each in asked.sides if each is not side), None)
    if load.busy:
        sent += Fraction(other or side.rate or 0, ACKNOWLEDGEMENTS)
    return sent


def _of(part: Part, side: Side) -> Fraction:
    direction = "egress" if part.direction == "upload" else "ingress"
    if part.kind == "voip":
        return Fraction(CALL * part.flows)
    if part.kind == "ping" or part.rate is None:
        return Fraction(CALL)
    if (TURNED[direction] if inward(side.link) else direction) != side.direction:
        return Fraction(part.rate, ACKNOWLEDGEMENTS)
    return Fraction(part.rate if part.rate_is_total else part.rate * part.flows)


def _finding(view: View, asked: Asked, side: Side, sent: Fraction) -> Diagnostic:
    bound = "rate" if asked.requirement.rate is not None else "ratio"
    return warning(
        "objective-above-load",
        view.span(*asked.path, bound),
        f"under this load hardly {format_rate(int(sent))} pass {side.direction}",
        f"of {format_rate(side.rate or 0)}: nothing sends more, so no shaper can meet it",
        "let the workload send more"
        if asked.requirement.direction
        else "write a direction, such as `require egress`, or let the workload send more",
    )
