"""`bandwidth-implausible`."""

from collections.abc import Iterator

from tcc.checks.devices import is_access_point, is_mobile
from tcc.checks.view import Side, View, masquerades, outward
from tcc.diagnostics import Diagnostic, Severity, warning
from tcc.units import format_duration, format_rate, time_for

SLOWEST = 64_000
"""bit/s of one ISDN channel."""
ACCESS = 256_000
"""bit/s at which broadband begins (ITU); lines of Ethernet and cable have more."""
AIR = 1_000_000
"""bit/s of the slowest rate of IEEE 802.11."""
BELOW_PLUGINS = 512
"""bit/s below which the plugins say why the kernel cannot do it."""
APART = 200
"""How many times faster one direction is than the other on no line: acknowledgements alone
take a sixtieth of what they acknowledge."""
PACKET = 1500
MS = 1_000_000
ABOVE = 900_000_000
"""bit/s above which some lines cannot be."""
MOST = {
    "ptm": (1_800_000_000, "both directions of a VDSL or G.fast line together"),
    "docsis": (10_000_000_000, "a cable modem"),
    "mobile": (20_000_000_000, "a mobile network"),
    "access": (50_000_000_000, "a line into a building"),
    "ethernet": (1_600_000_000_000, "an Ethernet device"),
}
"""bit/s that no line of the kind carries: nine tenths of ITU-T G.9701's 2 Gbit/s; DOCSIS 3.1;
IMT-2020; 50G-PON (ITU-T G.9804); IEEE 802.3dj."""


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
        elif side.rate < ACCESS and outward(side.link) and _preset(side) in ("ethernet", "docsis"):
            yield _slow_access(view, side, side.rate)
        elif _least(side) < SLOWEST:
            yield _slow(view, side, _least(side))
        elif side.rate < AIR and is_access_point(view.name(side)):
            yield _on_air(view, side, side.rate)
        elif first.rate is not None and first.rate >= SLOWEST:
            if side.rate >= APART * first.rate:
                yield _apart(view, first, side)
            elif first.rate >= APART * side.rate:
                yield _apart(view, side, first)
        if side.rate > ABOVE:
            yield from _fast(view, side, side.rate, (first.rate or 0) if first is not side else 0)


def _least(side: Side) -> int:
    """Return the lowest rate that an autorate daemon may set."""
    bandwidth = side.shaping.bandwidth
    assert side.rate is not None
    return side.rate if bandwidth is None or bandwidth.minimum is None else bandwidth.minimum


def _fast(view: View, side: Side, rate: int, other: int) -> Iterator[Diagnostic]:
    kind = _kind(view, side)
    most, what = MOST[kind]
    carried = rate + other if kind == "ptm" else rate
    if carried > most:
        yield warning(
            "bandwidth-implausible",
            view.at_either(side, "bandwidth", "bandwidth"),
            f"{format_rate(carried)} is more than {what} can carry",
            f"that is {format_rate(most)} at most; a shaper that is faster than its line never "
            "acts, and the queue stays where it was",
            "was kbit or mbit meant?" if kind != "ptm" else "fibre has `framing ethernet`",
        )


def _kind(view: View, side: Side) -> str:
    """Return what `MOST` calls the line."""
    if side.wire.cells == "ptm":
        return "ptm"
    if _preset(side) == "docsis":
        return "docsis"
    if is_mobile(view.name(side)):
        return "mobile"
    return "access" if masquerades(side.link) else "ethernet"


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


def _slow_access(view: View, side: Side, rate: int) -> Diagnostic:
    return warning(
        "bandwidth-implausible",
        view.at_either(side, "bandwidth", "bandwidth"),
        f"{format_rate(rate)} is little for a line with `framing {_preset(side)}`",
        f"one packet of {PACKET} bytes takes {format_duration(time_for(PACKET, rate) // MS * MS)}, "
        "and modems of that rate have another framing",
        "was mbit meant?",
    )


def _preset(side: Side) -> str | None:
    return side.link.framing.preset if side.link.framing is not None else None


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
