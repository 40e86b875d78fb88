"""Links: a device, how its frames look on the wire, who sits behind it, and its shaping."""

from typing import Annotated, Literal

from pydantic import Field, InstanceOf, SerializeAsAny, ValidationInfo, model_validator

from tcc.ir.base import BitRate, Bytes, Nanoseconds, Node, Options
from tcc.ir.tier import Tier

TinMode = Literal["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"]
FlowMode = Literal[
    "flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost",
    "triple-isolate",
]  # fmt: skip
FairnessWish = Literal["per-flow", "per-host", "per-source", "per-destination", "none"]
Cells = Literal["none", "atm", "ptm"]
Direction = Literal["egress", "ingress"]
InterfaceName = Annotated[str, Field(pattern=r"^[^/\s\x00-\x1f\x7f]{1,15}$")]


class Device(Node):
    """Which interface: one name, or all whose names match a shell pattern."""

    name: InterfaceName | None = None
    """An interface name, 1-15 bytes without blanks or `/`."""
    matching: str | None = None
    """A pattern with `*` and `?`, such as `wan*`."""


class Framing(Node):
    """What the line adds to every packet.

    `preset` is a tc-cake(8) keyword, `raw` (nothing is added, sizes as the qdisc sees
    them) or `unknown` (the conservative guess); without it the numbers are the policy's.
    """

    preset: str | None = "raw"
    vlans: Annotated[int, Field(ge=0, le=8)] = 0
    """How many 802.1Q tags are added on top of the preset, 4 bytes each."""
    overhead: Bytes | None = None
    mpu: Bytes | None = None
    cells: Cells | None = None


class Role(Node):
    """Who is behind the device: `router` (this machine forwards for hosts), `bridge`, `host`."""

    kind: Literal["router", "bridge", "host"]
    facing_hosts: bool = False
    """Whether the device faces the hosts (a LAN bridge) and not the Internet."""


class ConnectionMark(Node):
    """Which bits of a connection's mark tiers take: those of a DSCP, and one that says it is there.

    See tc-ctinfo(8): the DSCP takes six bits side by side, the other is none of them.
    """

    dscp: Annotated[int, Field(ge=1, lt=2**32)] = 0x3F
    valid: Annotated[int, Field(ge=1, lt=2**32)] = 0x80

    def holding(self, dscp: int) -> int:
        """Return the bits that say: this DSCP.

        >>> hex(ConnectionMark(dscp=0x3F00, valid=0x4000).holding(46))
        '0x6e00'
        """
        return self.valid | dscp * (self.dscp & -self.dscp)

    @property
    def problem(self) -> str:
        """Why the kernel would refuse it, or read a DSCP that nobody wrote; "" if it would not."""
        lowest = self.dscp & -self.dscp
        if self.dscp != 0x3F * lowest:
            return "a DSCP takes six bits side by side, such as 0x3f or 0xfc00"
        if self.valid & (self.valid - 1) or self.valid & self.dscp:
            return "that it is there takes one bit, and none of those of the DSCP"
        return ""


class Bandwidth(Node):
    """A rate, or unlimited; with bounds when an autorate daemon moves it."""

    rate: BitRate | Literal["unlimited"]
    minimum: BitRate | None = None
    maximum: BitRate | None = None


class Gso(Node):
    """What happens to super-packets: split always, kept, or split by rate or size."""

    mode: Literal["split", "keep", "auto", "split-when", "split-above"]
    rate: BitRate | None = None
    """With `split-when`: split while the bandwidth is at most this."""
    size: Bytes | None = None
    """With `split-above`: split packets longer than this."""


class Backpressure(Node):
    """Senders of this machine should wait instead of losing."""

    protocol: Literal["udp"] = "udp"
    interval: Nanoseconds | None = None
    senders: Annotated[int, Field(ge=1)] | None = None
    sndbuf: Bytes | None = None


class QdiscChoice(Node):
    """Which kind of qdisc, and its own options in tc's words."""

    kind: str = "auto"
    options: SerializeAsAny[InstanceOf[Options]] | None = None

    @model_validator(mode="before")
    @classmethod
    def _options_of_kind(cls, data: object, info: ValidationInfo) -> object:
        """Read options given as JSON with the model that the kind's plugin declares.

        The validation context maps each kind to its options model.
        """
        if isinstance(data, dict) and isinstance(data.get("options"), dict):
            models: dict[str, type[Options]] = (info.context or {}).get("qdiscs", {})
            model = models.get(str(data.get("kind", "auto")))
            if model is not None:
                options = model.model_validate(data["options"], context=info.context)
                return {**data, "options": options}
        return data


class Shaping(Node):
    """What one direction of a link should do. A field that is None was not asked for."""

    bandwidth: Bandwidth | None = None
    tiers: TinMode | None = None
    fairness: FairnessWish | FlowMode | None = None
    rtt: Nanoseconds | None = None
    """The round trip that the AQM is set for; presets are durations too."""
    ack_filter: Literal["off", "on", "aggressive"] | None = None
    dscp: Literal["keep", "wash"] | None = None
    memory: Bytes | None = None
    mark_mask: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    gso: Gso | None = None
    qdisc: QdiscChoice | None = None
    backpressure: Backpressure | None = None
    prefer: tuple[str, ...] = ()
    """Clauses (field names) whose loss on a target is a warning and not an error."""


class Link(Node):
    """One interface and what its traffic gets."""

    name: str
    device: Device
    framing: Framing | None = None
    role: Role | None = None
    connection_mark: ConnectionMark | None = None
    """Where tiers note a DSCP, if not where they do by themselves."""
    egress: Shaping | None = None
    ingress: Shaping | None = None
    tiers: tuple[Tier, ...] = ()
    """Tiers that only this link has; those of the policy hold for all links."""
