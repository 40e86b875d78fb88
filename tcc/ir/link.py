"""Links: a device, how its frames look on the wire, who sits behind it, and its shaping."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from tcc.ir import document
from tcc.ir.base import Between, BitRate, Bytes, Nanoseconds, Node, Options, Spelling
from tcc.ir.tier import Tier

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
    from pydantic_core import CoreSchema

TinMode = Literal["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"]
FlowMode = Literal[
    "flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost",
    "triple-isolate",
]  # fmt: skip
FairnessWish = Literal["per-flow", "per-host", "per-source", "per-destination", "none"]
Cells = Literal["none", "atm", "ptm"]
Place = Literal["router", "bridge", "host"]
GsoMode = Literal["split", "keep", "auto", "split-when", "split-above"]
Direction = Literal["egress", "ingress"]
InterfaceName = Annotated[str, Spelling(r"^[^/\s\x00-\x1f\x7f]{1,15}$")]


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
    vlans: Annotated[int, Between(0, 8)] = 0
    """How many 802.1Q tags are added on top of the preset, 4 bytes each."""
    overhead: Bytes | None = None
    mpu: Bytes | None = None
    cells: Cells | None = None


class Role(Node):
    """Who is behind the device: `router` (this machine forwards for hosts), `bridge`, `host`."""

    kind: Place
    facing_hosts: bool = False
    """Whether the device faces the hosts (a LAN bridge) and not the Internet."""


class ConnectionMark(Node):
    """Which bits of a connection's mark tiers take: those of a DSCP, and one that says it is there.

    See tc-ctinfo(8): the DSCP takes six bits side by side, the other is none of them.
    """

    dscp: Annotated[int, Between(1, 2**32 - 1)] = 0x3F
    valid: Annotated[int, Between(1, 2**32 - 1)] = 0x80

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

    mode: GsoMode
    rate: BitRate | None = None
    """With `split-when`: split while the bandwidth is at most this."""
    size: Bytes | None = None
    """With `split-above`: split packets longer than this."""


class Backpressure(Node):
    """Senders of this machine should wait instead of losing."""

    protocol: Literal["udp"] = "udp"
    interval: Nanoseconds | None = None
    senders: Annotated[int, Between(1)] | None = None
    sndbuf: Bytes | None = None


class _OfTheKind(NamedTuple):
    """Options in JSON are read as the kind's plugin declares them.

    The validation context maps each kind to its options (`qdiscs`).
    """

    def __get_pydantic_core_schema__(
        self,
        source: object,
        handler: "GetCoreSchemaHandler",
    ) -> "CoreSchema":
        """Choose the kind of options by the `kind` beside them."""
        from pydantic_core import core_schema  # noqa: PLC0415

        def choose(value: object, info: "ValidationInfo") -> object:
            models: dict[str, type[Options]] = (info.context or {}).get("qdiscs", {})
            model = models.get(str(info.data.get("kind")))
            return value if model is None else document.read(model, value, info.context)

        return core_schema.with_info_before_validator_function(
            choose,
            core_schema.is_instance_schema(Options),
            serialization=core_schema.plain_serializer_function_ser_schema(
                document.nested, info_arg=True
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: "CoreSchema", handler: "GetJsonSchemaHandler"
    ) -> dict[str, Any]:
        """Say that it is an object: which one, `tcc.schema` tells for every kind."""
        return {"type": "object"}


class QdiscChoice(Node):
    """Which kind of qdisc, and its own options in tc's words."""

    kind: str = "auto"
    options: Annotated[Options, _OfTheKind()] | None = None


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
    mark_mask: Annotated[int, Between(0, 2**32 - 1)] | None = None
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
