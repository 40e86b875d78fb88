"""`device-inside-another`."""

from collections.abc import Iterator, Mapping

from tcc.checks.devices import is_carrier, is_ppp
from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where a device and the one below it are shaped in one direction.

    Without facts a PPP session is taken to be on a DSL modem, or on OpenWrt's port `wan`.
    """
    shaped: dict[tuple[str, str], Side] = {}
    for side in view.sides:
        name = view.device(side.link, side.path[1])
        if name is not None and side.rate is not None:
            shaped.setdefault((name, side.direction), side)
    below = _below(view)
    carriers = tuple(name for name, _ in shaped if is_carrier(name))
    for (name, direction), side in shaped.items():
        sessions = carriers if is_ppp(name) and view.facts is None else ()
        for lower in (*_all_below(name, below), *sessions):
            other = shaped.get((lower, direction))
            if other is not None:
                yield _inside(view, side, other, name, lower)
                break


def _below(view: View) -> Mapping[str, tuple[str, ...]]:
    """Return the devices that each device sends through, as the host's facts tell."""
    if view.facts is None:
        return {}
    return {
        device.name: tuple(name for name in (device.lower, device.master, *device.carriers) if name)
        for device in view.facts.devices
    }


def _all_below(name: str, below: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the devices below one: by its name (`eth0.5` is a VLAN of `eth0`), or by facts."""
    seen = {name}
    waiting = [name]
    while waiting:
        upper = waiting.pop()
        parent, dot, tag = upper.rpartition(".")
        names = [*below.get(upper, ())]
        if dot and tag.isdigit():
            names.append(parent)
        for lower in names:
            if lower not in seen:
                seen.add(lower)
                waiting.append(lower)
                yield lower


def _inside(view: View, side: Side, other: Side, name: str, lower: str) -> Diagnostic:
    place = view.at_link(other, "device")
    return Diagnostic(
        "device-inside-another",
        Severity.WARNING,
        f"what passes `{name}` passes `{lower}` too, and both are shaped on {side.direction}",
        view.at_link(side, "device"),
        hints=(
            "each packet waits twice, and takes from both rates; the slower one decides",
            "shape one of them, of a session the session; tiers can tell VLANs apart",
        ),
        related=(("the device below", place),) if place else (),
    )
