"""What a policy may say in the block of `qdisc cake` and `qdisc cake_mq`, in tc's words.

Sources: tc-cake(8); cake_parse_opt() in q_cake.c of iproute2.
"""

from typing import Annotated, Literal, get_args

from tcc.ir import Options
from tcc.ir.base import Between, BitRate, Bytes, Nanoseconds
from tcc.ir.link import Cells, Direction, FlowMode, TinMode
from tcc.plugin import Word
from tcc.units import NS_PER_US
from tcc_plugins.cake.settings import CELL_WORDS, CELLS, DIFFSERV, FLOW_MODES

# tc's keywords for the path's round trip, in us; the target is a twentieth of each.
RTT_PRESETS = {
    "datacentre": 100,
    "lan": 1_000,
    "metro": 10_000,
    "regional": 30_000,
    "internet": 100_000,
    "oceanic": 300_000,
    "satellite": 1_000_000,
    "interplanetary": 1_000_000_000,
}

Preset = Literal[
    "conservative", "ipoa-vcmux", "ipoa-llcsnap", "bridged-vcmux", "bridged-llcsnap",
    "pppoa-vcmux", "pppoa-llc", "pppoe-vcmux", "pppoe-llcsnap", "pppoe-ptm", "bridged-ptm",
    "ethernet", "docsis",
]  # fmt: skip


class CakeOptions(Options):
    """The options of CAKE; None is what the block does not say."""

    bandwidth: BitRate | Literal["unlimited"] | None = None
    autorate_ingress: bool | None = None
    """Estimate the incoming rate and shape to it."""
    rtt: Nanoseconds | None = None
    diffserv: TinMode | None = None
    flow_mode: FlowMode | None = None
    nat: bool | None = None
    wash: bool | None = None
    direction: Direction | None = None
    """`ingress` charges dropped packets too: they have used the line already."""
    ack_filter: Literal["off", "on", "aggressive"] | None = None
    split_gso: bool | None = None
    memlimit: Bytes | None = None
    """0B lets the kernel choose."""
    fwmark: Annotated[int, Between(0, 2**32 - 1)] | None = None
    preset: Preset | None = None
    """A link-layer keyword; says overhead, mpu and cells at once."""
    vlans: Annotated[int, Between(0, 8)] | None = None
    """How often `ether-vlan` adds its 4 bytes to the preset."""
    raw: bool | None = None
    cells: Cells | None = None
    overhead: Bytes | None = None
    mpu: Bytes | None = None
    via_ethernet: bool | None = None
    """Accepted, as tc does, and without effect, as in tc."""


def _words() -> dict[str, Word]:
    words = {
        "bandwidth": Word("bandwidth"),
        "unlimited": Word("bandwidth", "unlimited"),
        "autorate-ingress": Word("autorate_ingress", value=True),
        "rtt": Word("rtt"),
        "diffserv": Word("diffserv", "diffserv4"),
        "nat": Word("nat", value=True),
        "nonat": Word("nat", value=False),
        "wash": Word("wash", value=True),
        "nowash": Word("wash", value=False),
        "ingress": Word("direction", "ingress"),
        "egress": Word("direction", "egress"),
        "ack-filter": Word("ack_filter", "on"),
        "ack-filter-aggressive": Word("ack_filter", "aggressive"),
        "no-ack-filter": Word("ack_filter", "off"),
        "split-gso": Word("split_gso", value=True),
        "no-split-gso": Word("split_gso", value=False),
        "memlimit": Word("memlimit"),
        "fwmark": Word("fwmark"),
        "raw": Word("raw", value=True),
        "overhead": Word("overhead"),
        "mpu": Word("mpu"),
        "ether-vlan": Word("vlans", 1),
        "via-ethernet": Word("via_ethernet", value=True),
    }
    words |= {word: Word("rtt", us * NS_PER_US) for word, us in RTT_PRESETS.items()}
    words |= {word: Word("diffserv", word) for word in DIFFSERV}
    words |= {word: Word("flow_mode", word) for word in FLOW_MODES}
    words |= {word: Word("cells", cells) for word, cells in zip(CELL_WORDS, CELLS, strict=True)}
    return words | {word: Word("preset", word) for word in get_args(Preset)}


WORDS = _words()
