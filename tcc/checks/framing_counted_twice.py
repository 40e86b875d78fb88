"""`framing-counted-twice`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the host has a size table on a device that a policy frames."""
    assert view.facts is not None
    sized = {
        device.name
        for device in view.facts.devices
        if any(qdisc.sized and qdisc.parent == "root" for qdisc in device.qdiscs)
    }
    for side in view.sides:
        name = view.name(side)
        if side.direction != "egress" or name not in sized:
            continue
        if side.link.framing is not None and side.link.framing.preset != "raw":
            yield warning(
                "framing-counted-twice",
                view.at_link(side, "framing"),
                f"`{name}` has a size table of tc-stab(8), which adds an overhead of its own",
                "a size table stays when its qdisc is changed in place: 1500 bytes with 40 of "
                "overhead are counted as 1580",
                f"remove it first: tc qdisc del dev {name} root",
            )
