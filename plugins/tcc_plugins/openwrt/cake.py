"""CAKE in sqm's words: its script, and everything else as the text that goes to tc.

`layer_cake.qos` ends its command with the options' text, and CAKE's last word on a thing holds,
so that the text decides whatever the script says before it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from tcc.tcwords.cake import CakeSaid

PLAIN, LAYERED = "piece_of_cake.qos", "layer_cake.qos"
OPTION_OF = {"egress": "eqdisc_opts", "ingress": "iqdisc_opts"}


class Line(NamedTuple):
    """How sqm is told of the line: what both directions share of it by options of its own."""

    layer: str
    """`none`, `ethernet` or `atm`."""
    overhead: int = 0
    mpu: int = 0


def script_of(ends: Mapping[str, CakeSaid]) -> str:
    """Return the script: the plain one where nothing looks at DSCP."""
    return PLAIN if all(said.mode == "besteffort" for said in ends.values()) else LAYERED


def line_of(ends: Mapping[str, CakeSaid]) -> Line:
    """Return the line that all directions share; no option at all where they differ."""
    lines = {_line(said) for said in ends.values()}
    return lines.pop() if len(lines) == 1 else Line("none")


def _line(said: CakeSaid) -> Line:
    if said.raw:
        return Line("none")
    return Line("atm" if said.cells == "atm" else "ethernet", said.overhead, said.mpu)


def options_text(said: CakeSaid, line: Line, *, ptm: bool = True) -> str:
    """Return what sqm hands on to tc: all that none of its own options says.

    Args:
        said: the CAKE.
        line: what sqm's own options say of the line.
        ptm: whether PTM goes by CAKE's keyword; else by a lower rate.
    """
    words = ["autorate-ingress"] if said.autorate else []
    words += [
        said.mode,
        said.flow,
        "nat" if said.nat else "nonat",
        "wash" if said.wash else "nowash",
        *(["ingress"] if said.ingress else []),
        said.ack,
        "split-gso" if said.split else "no-split-gso",
        "rtt",
        f"{said.rtt}us",
        *_framing(said, line, ptm=ptm),
    ]
    if said.memlimit:
        words += ["memlimit", f"{said.memlimit}"]
    if said.fwmark:
        words += ["fwmark", f"{said.fwmark:#x}"]
    return " ".join(words)


def _framing(said: CakeSaid, line: Line, *, ptm: bool) -> list[str]:
    """Return the words on framing that sqm's own options leave to say."""
    cells = [] if said.cells == "ptm" and not ptm else [said.cells]
    if _line(said) == line and not said.raw:
        return cells if said.cells == "ptm" else []
    if said.raw:
        plain = said.cells == "noatm" and not said.overhead and not said.mpu
        words = [] if plain else ["raw", *cells, "overhead", f"{said.overhead}"]
    else:
        words = [*cells, "overhead", f"{said.overhead}"]
    return [*words, *(["mpu", f"{said.mpu}"] if said.mpu else [])]
