"""Framing presets and the numbers they stand for.

Source: the keyword table of tc-cake(8) and iproute2's q_cake.c; `unknown` is tc's
`conservative`. A VLAN tag is tc's `ether-vlan`.
"""

from typing import NamedTuple

from tcc.ir.link import Cells, Framing

VLAN_TAG = 4


class WireSize(NamedTuple):
    """How a packet grows on the wire: bytes added, smallest size, cell type."""

    overhead: int
    mpu: int
    cells: Cells
    raw: bool = False
    """Whether sizes start at the link-layer header and not at the IP header."""


PRESETS: dict[str, WireSize] = {
    "raw": WireSize(0, 0, "none", raw=True),
    "unknown": WireSize(48, 0, "atm"),
    "conservative": WireSize(48, 0, "atm"),
    "ipoa-vcmux": WireSize(8, 0, "atm"),
    "ipoa-llcsnap": WireSize(16, 0, "atm"),
    "bridged-vcmux": WireSize(24, 0, "atm"),
    "bridged-llcsnap": WireSize(32, 0, "atm"),
    "pppoa-vcmux": WireSize(10, 0, "atm"),
    "pppoa-llc": WireSize(14, 0, "atm"),
    "pppoe-vcmux": WireSize(32, 0, "atm"),
    "pppoe-llcsnap": WireSize(40, 0, "atm"),
    "pppoe-ptm": WireSize(30, 0, "ptm"),
    "bridged-ptm": WireSize(22, 0, "ptm"),
    "ethernet": WireSize(38, 84, "none"),
    "docsis": WireSize(18, 64, "none"),
}


def wire_size(framing: Framing | None) -> WireSize:
    """Return the numbers of `framing`; none asked for means raw."""
    if framing is None:
        return PRESETS["raw"]
    base = PRESETS[framing.preset] if framing.preset else WireSize(0, 0, "none")
    overhead = base.overhead if framing.overhead is None else framing.overhead
    return WireSize(
        overhead + framing.vlans * VLAN_TAG,
        base.mpu if framing.mpu is None else framing.mpu,
        base.cells if framing.cells is None else framing.cells,
        base.raw and not framing.vlans,
    )
