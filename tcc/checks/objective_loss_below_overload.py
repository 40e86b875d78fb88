"""`objective-loss-below-overload`."""

from collections.abc import Iterator
from fractions import Fraction

from tcc.checks.loads import TURNED, load_of
from tcc.checks.view import Asked, Side, View, inward
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import Part
from tcc.units import format_rate


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where UDP alone exceeds the rate, and hardly any of it may be lost."""
    for asked in view.asked:
        required = asked.requirement
        if required.metric != "loss" or required.comparison != "<=" or _waits(view, asked):
            continue
        for side in asked.sides:
            sent = _sent(view, asked, side)
            if side.rate is None or sent <= side.rate:
                continue
            least = 1 - Fraction(side.rate) / sent
            if required.ratio is not None and required.ratio < least:
                yield _finding(view, asked, sent, side.rate, least)
                break


def _waits(view: View, asked: Asked) -> bool:
    """Whether senders wait instead of losing."""
    testbed = view.testbeds.get(asked.objective.testbed or "")
    return (testbed is not None and testbed.socket_backpressure == "rfc") or any(
        side.shaping.backpressure is not None for side in asked.sides
    )


def _sent(view: View, asked: Asked, side: Side) -> Fraction:
    """Return the bit/s of UDP that the requirement counts in a direction; 0 if more counts."""
    parts = [part for part in _counted(view, asked) if part.kind != "ping"]
    alike = len({part.payload for part in parts}) == 1
    if not alike or any(part.kind != "udp" or part.rate is None for part in parts):
        return Fraction()
    return sum((_rate(part) for part in parts if _way(part, side)), Fraction())


def _counted(view: View, asked: Asked) -> tuple[Part, ...]:
    """Return the parts of the load whose packets the requirement is about."""
    subject = asked.requirement.subject
    if any(use.name not in view.workloads or use.flows for use in asked.objective.under):
        return ()
    if subject in view.workloads:
        return view.workloads[subject].parts
    parts = load_of(view, asked).parts
    return tuple(part for part in parts if subject is None or part.name == subject)


def _way(part: Part, side: Side) -> bool:
    direction = "egress" if part.direction == "upload" else "ingress"
    return (TURNED[direction] if inward(side.link) else direction) == side.direction


def _rate(part: Part) -> Fraction:
    rate = Fraction(part.rate or 0)
    return rate if part.rate_is_total else rate * part.flows


def _finding(view: View, asked: Asked, sent: Fraction, rate: int, least: Fraction) -> Diagnostic:
    return warning(
        "objective-loss-below-overload",
        view.span(*asked.path, "ratio"),
        f"{format_rate(int(sent))} of UDP through {format_rate(rate)} lose "
        f"{int(least * 100)}% at least",
        "UDP does not slow down, and what does not fit is dropped, whatever the qdisc",
        "let less be sent, or let senders of this machine wait: `backpressure udp`",
    )
