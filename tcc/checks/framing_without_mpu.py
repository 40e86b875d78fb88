"""`framing-without-mpu`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, note
from tcc.ir.framing import PRESETS, VLAN_TAG

KNOWN = {
    PRESETS[name].overhead + VLAN_TAG * tags: (name, PRESETS[name].mpu)
    for name in ("ethernet", "docsis")
    for tags in (0, 1)
}
"""Overheads that only one kind of line has, with its shortest frame."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a note where the overhead is that of a line with a shortest frame."""
    for index, link in enumerate(view.policy.links):
        framing = link.framing
        if framing is None or framing.preset is not None or framing.cells in ("atm", "ptm"):
            continue
        if framing.mpu is not None or view.unknown("links", index, "framing", "mpu"):
            continue
        known = KNOWN.get(framing.overhead or 0)
        if known is None:
            continue
        name, mpu = known
        yield note(
            "framing-without-mpu",
            view.span("links", index, "framing"),
            f"an overhead of {framing.overhead}B is {name}'s, whose shortest frame has {mpu} bytes",
            "acknowledgements and other small packets are counted too short",
            f"write `framing {name}`, or add `mpu {mpu}B`",
        )
