"""`objective-rate-above-line`."""

from collections.abc import Iterator

from tcc.checks.loads import load_of
from tcc.checks.view import Asked, Side, View
from tcc.checks.wire import on_wire
from tcc.diagnostics import Diagnostic, Severity
from tcc.ir import WireSize
from tcc.ir.framing import PRESETS
from tcc.units import format_rate

MTU, HEADERS = 1500, 40
"""Bytes of an IPv4 packet, and of its IP and TCP headers without options."""
LONGEST = 65_535


def check(view: View) -> Iterator[Diagnostic]:
    """Yield an error, or a warning where it depends on the MTU, for a rate out of reach.

    More than the rate itself is an error. Between that and what headers leave of it is a
    warning: larger packets than usual would come closer.
    """
    for asked in view.asked:
        required = asked.requirement
        if required.metric not in ("goodput", "throughput") or required.comparison != ">=":
            continue
        if required.rate is None:
            continue
        for direction in asked.directions:
            side = next((each for each in asked.sides if each.direction == direction), None)
            found = _beyond(view, asked, side, required.rate)
            if found is not None:
                yield found
                break


def _beyond(view: View, asked: Asked, side: Side | None, wanted: int) -> Diagnostic | None:
    rate, wire, what = _fastest(view, asked, side)
    if rate is None:
        return None
    mtu = min(LONGEST, max(MTU, load_of(view, asked).longest + HEADERS))
    payload = mtu - HEADERS if asked.requirement.metric == "goodput" else mtu
    most = rate * payload // on_wire(mtu, wire)
    if wanted <= most:
        return None
    certain = wanted > rate
    why = (
        "no shaper lets more through than the rate"
        if certain
        else f"headers and framing leave {format_rate(most - most % 1000)} of it for "
        f"{asked.requirement.metric} with packets of {mtu} bytes"
    )
    return Diagnostic(
        "objective-rate-above-line",
        Severity.ERROR if certain else Severity.WARNING,
        f"{format_rate(wanted)} cannot come out of {what} of {format_rate(rate)}",
        view.span(*asked.path, "rate"),
        hints=(why, "write a lower bound, or require `utilisation`, which counts framing too"),
    )


def _fastest(view: View, asked: Asked, side: Side | None) -> tuple[int | None, WireSize, str]:
    """Return the least rate on the way, what is added there, and what it is."""
    asked_for = side.shaping.bandwidth if side is not None else None
    if asked_for is not None and asked_for.maximum is not None:
        return None, PRESETS["raw"], ""  # a daemon moves it
    testbed = view.testbeds.get(asked.objective.testbed or "")
    found: list[tuple[int, WireSize, str]] = []
    if side is not None and side.rate is not None:
        found.append((side.rate, side.wire, "a bandwidth"))
    if testbed is not None and testbed.nic is not None:
        found.append((testbed.nic, PRESETS["ethernet"], "an interface"))
    if testbed is not None and testbed.beyond is not None:
        found.append((testbed.beyond, PRESETS["raw"], "a network"))
    if not found:
        return None, PRESETS["raw"], ""
    return min(found, key=lambda one: one[0])
