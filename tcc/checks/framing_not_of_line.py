"""`framing-not-of-line`."""

from collections.abc import Iterator

from tcc.checks.devices import is_mobile, is_ppp, is_wireguard
from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.ir import Framing

PPPOE = 8
"""Bytes of the PPPoE and PPP headers."""
WIREGUARD = 60
"""Bytes of the headers of IPv4, UDP and WireGuard, and of its tag; over IPv6 20 more."""
DSL = ("ipoa", "bridged", "pppoa", "pppoe")
NEUTRAL = ("raw", "unknown", "conservative", None)


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the device's name says that the framing is another line's."""
    seen: set[int | str] = set()
    for side in view.sides:
        framing = side.link.framing
        if framing is None or framing.preset in NEUTRAL or side.path[1] in seen:
            continue
        seen.add(side.path[1])
        name = view.name(side)
        if is_ppp(name) and not framing.preset.startswith("ppp"):
            yield _without_ppp(view, side, name, framing)
        elif is_mobile(name) and framing.preset.startswith((*DSL, "docsis")):
            yield _mobile(view, side, name, framing)
        elif is_wireguard(name):
            yield _tunnel(view, side, name, framing)


def _without_ppp(view: View, side: Side, name: str, framing: Framing) -> Diagnostic:
    wire = side.wire
    cure = {"ethernet": "", "docsis": "", "bridged-ptm": "pppoe-ptm"}.get(framing.preset or "")
    if cure is None:
        cure = "pppoe-vcmux" if framing.preset == "bridged-vcmux" else "pppoe-llcsnap"
    mpu = f"; mpu {wire.mpu}B" if wire.mpu else ""
    text = cure or f"{{ overhead {wire.overhead + PPPOE}B{mpu} }}"
    return _finding(
        view, side, text,
        f"`{name}` is a PPP session, and {framing.preset} leaves out the headers of PPPoE",
        f"every packet is counted {PPPOE} bytes short: the modem gets more than it can send",
        f"write: framing {text}",
    )  # fmt: skip


def _tunnel(view: View, side: Side, name: str, framing: Framing) -> Diagnostic:
    wire = side.wire
    cells = f"; cells {wire.cells}" if wire.cells != "none" else ""
    mpu = f"; mpu {wire.mpu}B" if wire.mpu else ""
    text = f"{{ overhead {wire.overhead + WIREGUARD}B{mpu}{cells} }}"
    return _finding(
        view, side, text,
        f"`{name}` is a tunnel, and {framing.preset} leaves out the headers of WireGuard",
        f"a packet grows by {WIREGUARD} bytes before it comes to the line, by 80 over IPv6",
        f"write: framing {text}, or `framing raw` where the line is shaped too",
    )  # fmt: skip


def _mobile(view: View, side: Side, name: str, framing: Framing) -> Diagnostic:
    cells = ", and 5 of 53 bytes are given away" if side.wire.cells == "atm" else ""
    return _finding(
        view, side, None,
        f"`{name}` is a mobile modem, and {framing.preset} is the framing of a cable",
        f"there are no such headers on the air{cells}",
        "write `framing raw`, or `framing unknown` for a guess on the safe side",
    )  # fmt: skip


def _finding(view: View, side: Side, text: str | None, message: str, *hints: str) -> Diagnostic:
    """Return the finding; `text` is the framing to write, where there is one."""
    span = view.at_link(side, "framing")
    fixes = (Fix(f"write `framing {text}`", span, text, safe=False),) if span and text else ()
    return Diagnostic(
        "framing-not-of-line", Severity.WARNING, message, span, hints=hints, fixes=fixes
    )
