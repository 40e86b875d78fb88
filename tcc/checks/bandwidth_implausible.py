"""`bandwidth-implausible`."""

from collections.abc import Iterator

from tcc.checks.devices import is_access_point
from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity, warning
from tcc.units import format_duration, format_rate, time_for

SLOWEST = 64_000
"""bit/s of one ISDN channel."""
AIR = 1_000_000
"""bit/s of the slowest rate of IEEE 802.11."""
BELOW_PLUGINS = 512
"""bit/s below which the plugins say why the kernel cannot do it."""
APART = 200
"""How many times faster one direction is than the other on no line: acknowledgements alone
take a sixtieth of what they acknowledge."""
PACKET = 1500
MS = 1_000_000


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each rate that no line of today has, or not beside the other one."""
    other: dict[int | str, Side] = {}
    for side in view.sides:
        if side.rate is None:
            continue
        first = other.setdefault(side.path[1], side)
        if side.rate < SLOWEST:
            if side.rate >= BELOW_PLUGINS:
                yield _slow(view, side, side.rate)
        elif side.rate < AIR and is_access_point(view.name(side)):
            yield _on_air(view, side, side.rate)
        elif first.rate is not None and first.rate >= SLOWEST:
            if side.rate >= APART * first.rate:
                yield _apart(view, first, side)
            elif first.rate >= APART * side.rate:
                yield _apart(view, side, first)


def _slow(view: View, side: Side, rate: int) -> Diagnostic:
    took = time_for(PACKET, rate)
    return warning(
        "bandwidth-implausible",
        view.at_either(side, "bandwidth", "bandwidth"),
        f"{format_rate(rate)} is less than one ISDN channel",
        f"one packet of {PACKET} bytes takes {format_duration(took - took % MS)}, and everything "
        "waits for it",
        "was mbit meant?" if rate >= 1000 else "were kbit or mbit meant?",
    )


def _on_air(view: View, side: Side, rate: int) -> Diagnostic:
    return warning(
        "bandwidth-implausible",
        view.at_either(side, "bandwidth", "bandwidth"),
        f"{format_rate(rate)} is less than the slowest rate of Wi-Fi, 1mbit",
        f"all stations of the access point share it: a page of 2 MB takes {16_000_000 // rate} s",
        "was mbit meant?",
    )


def _apart(view: View, slow: Side, fast: Side) -> Diagnostic:
    assert slow.rate is not None
    assert fast.rate is not None
    place = view.at_either(fast, "bandwidth", "bandwidth")
    times = fast.rate // slow.rate
    return Diagnostic(
        "bandwidth-implausible",
        Severity.WARNING,
        f"{fast.direction} is {times} times as fast as {format_rate(slow.rate)}",
        view.at_either(slow, "bandwidth", "bandwidth"),
        hints=(
            "TCP needs about a sixtieth of its rate for acknowledgements the other way",
            "was mbit meant?" if slow.rate < MS else "was kbit, or another rate, meant?",
        ),
        related=(("the other direction", place),) if place else (),
    )
