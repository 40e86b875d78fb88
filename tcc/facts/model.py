"""What lowering may know about a host, as data that can be kept in a file.

Everything that would read the host reads a `Facts` instead, so that a policy can be
checked and planned far away from the router it is for.
"""

from dataclasses import field
from functools import cached_property
from typing import Annotated, Literal

from tcc.ir.base import Between, BitRate, Node, Spelling

Hex = Annotated[str, Spelling(r"^([0-9a-f]{2})*$")]


class QdiscFacts(Node):
    """A qdisc that was found on a device."""

    kind: str
    handle: str
    """`1:`; `0:` for one that the kernel attached by itself."""
    parent: str
    """`root`, `ingress`, `clsact` or the class it hangs on (`1:1`)."""
    options: Hex = ""
    """The kernel's own TCA_OPTIONS, so that nothing is lost in translation."""
    sized: bool = False
    """Whether a size table of tc-stab(8) hangs on it."""


class DeviceFacts(Node):
    """A network device."""

    name: str
    kind: str = ""
    """The link kind that rtnetlink reports (`veth`, `ifb`, `bridge`); empty for hardware."""
    index: int | None = None
    mtu: int = 1500
    hard_header: int = 14
    """Bytes of link-layer header that the kernel counts on top of the MTU."""
    tx_queues: int = 1
    rx_queues: int = 1
    up: bool = True
    speed: BitRate | None = None
    """What the driver says; None when unknown."""
    lower: str | None = None
    """The device this one is stacked on (the parent of a VLAN)."""
    carriers: tuple[str, ...] = ()
    """What its packets leave by as routed now: a tunnel's or session's carriers."""
    master: str | None = None
    """The bridge or bond it belongs to."""
    owner: Literal["networkmanager", "networkd", "sqm", "qosmate"] | None = None
    """The daemon that manages it, and may replace its qdiscs."""
    offloads: tuple[str, ...] | None = None
    """Offloads that are on, by ethtool's names (`gro`, `tso`, ...); None: not looked at."""
    steered: bool | None = None
    """Whether packets that come in are spread over CPUs by rps_cpus; None: not looked at."""
    qdiscs: tuple[QdiscFacts, ...] = ()

    @property
    def max_frame(self) -> int:
        """The longest packet that a qdisc sees, link-layer header included, in bytes."""
        return self.mtu + self.hard_header


class FlowtableFacts(Node):
    """A flowtable of nftables: packets of its flows take a short cut past the rules."""

    table: str
    """Family and name: `inet fw4`."""
    name: str
    devices: tuple[str, ...] = ()
    hardware: bool = False
    """Whether the device forwards by itself, past every qdisc, too."""


class MarkUse(Node):
    """Somebody who uses bits of a mark."""

    who: str
    """Where: `nft inet mwan3`, `iptables mangle`, `ip rule 2001`, `tc filter of eth0`."""
    mark: Literal["packet", "connection"]
    mask: Annotated[int, Between(0, 2**32 - 1)]


class Facts(Node):
    """A host, as far as shaping depends on it."""

    version: Literal[1] = 1
    kernel: str = ""
    """The kernel release, for people; nothing is decided by it."""
    qdiscs: tuple[str, ...] = ()
    """Kinds that this kernel accepted when tried in a throw-away namespace."""
    filters: tuple[str, ...] = ()
    """Kinds of filter that it accepted, likewise; none at all: it was not tried."""
    actions: tuple[str, ...] = ()
    """Actions of filters that it accepted, likewise."""
    links: tuple[str, ...] = ()
    """Kinds of virtual device that it made, likewise: a veth to try things on, if nothing else."""
    nft: bool | None = None
    """Whether nft(8) is there and the kernel takes its tables; None: not tried."""
    devices: tuple[DeviceFacts, ...] = ()
    sysctls: dict[str, str] = field(default_factory=dict)
    """Those that matter, such as `net.core.default_qdisc`; absent ones are left out."""
    ticks_per_us: tuple[int, int] = (125, 8)
    """Packet-scheduler clock ticks per microsecond as a fraction (/proc/net/psched)."""
    openwrt: str | None = None
    """The OpenWrt release, when it is one."""
    packages: dict[str, str] = field(default_factory=dict)
    """Versions of installed packages that shaping depends on, where opkg or apk tells."""
    flowtables: tuple[FlowtableFacts, ...] | None = None
    """None: not looked at, which takes nft(8) and root."""
    marks: tuple[MarkUse, ...] | None = None
    """Who uses marks, ours left out; None: not looked at."""
    accelerators: tuple[str, ...] = ()
    """Loaded modules that forward past the kernel's queues."""
    cpus: int | None = None

    def device(self, name: str) -> DeviceFacts | None:
        """Return the device called `name`."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, DeviceFacts]:
        """Every device by its name; of several with one name the first."""
        return {device.name: device for device in reversed(self.devices)}
