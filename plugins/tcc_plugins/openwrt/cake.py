"""CAKE in sqm's words: its script, and everything else as the text that goes to tc.

`layer_cake.qos` ends its command with the options' text, and CAKE's last word on a thing holds,
so that the text decides whatever the script says before it.
"""

from collections.abc import Mapping, Sequence

from tcc.ir import WireSize
from tcc.lower import LoweredQdisc
from tcc.plugin import qdisc

PLAIN, LAYERED = "piece_of_cake.qos", "layer_cake.qos"
OPTION_OF = {"egress": "eqdisc_opts", "ingress": "iqdisc_opts"}
WITH_OPERAND = ("bandwidth", "overhead", "mpu")
ALONE = ("unlimited", "noatm", "atm", "ptm", "raw", "egress")
"""Words that sqm has options of its own for, or that a fresh CAKE does not need."""


def script_of_cake(ends: Mapping[str, LoweredQdisc]) -> str:
    """Return the script: the plain one where nothing looks at DSCP."""
    plain = all("besteffort" in _command(one) for one in ends.values())
    return PLAIN if plain else LAYERED


def ends_of_cake(ends: Mapping[str, LoweredQdisc], framing: WireSize) -> dict[str, str]:
    """Return the options' text of each direction that is shaped."""
    cells = " ptm" if framing.cells == "ptm" else ""
    return {
        OPTION_OF[direction]: " ".join(_words(_command(ends[direction]))) + cells
        for direction in ("ingress", "egress")
        if direction in ends
    }


def _command(one: LoweredQdisc) -> Sequence[str]:
    return qdisc(one.kind).command(one.settings)


def _words(command: Sequence[str]) -> list[str]:
    """Return tc's words without those that sqm writes itself from other options."""
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word in WITH_OPERAND:
            next(words)
        elif word not in ALONE:
            kept.append(word)
    return kept
