"""Tiers: which packets belong to which tin."""

from typing import Annotated, Literal

from tcc.ir.base import Between, Node

Port = Annotated[int, Between(0, 65535)]
Tin = Literal[
    "bulk", "besteffort", "video", "voice",
    "tin0", "tin1", "tin2", "tin3", "tin4", "tin5", "tin6", "tin7",
]  # fmt: skip
Dscp = Annotated[int, Between(0, 63)]


class PortRange(Node):
    """Ports `first` to `last`, both included."""

    first: Port
    last: Port


class MarkMatch(Node):
    """`(mark & mask) == value`."""

    value: Annotated[int, Between(0, 2**32 - 1)]
    mask: Annotated[int, Between(0, 2**32 - 1)] = 2**32 - 1


class Match(Node):
    """Conditions that must all hold; within one condition, any of its values.

    `local` is the hosts' side of the link, `remote` the other one, whatever the direction.
    """

    dscp: tuple[Dscp, ...] = ()
    marks: tuple[MarkMatch, ...] = ()
    protocols: tuple[str, ...] = ()
    """IP protocols by name (`udp`, `tcp`, `icmp`, ...) or number."""
    local_addresses: tuple[str, ...] = ()
    """Addresses or prefixes, IPv4 or IPv6, in canonical form."""
    remote_addresses: tuple[str, ...] = ()
    local_ports: tuple[PortRange, ...] = ()
    remote_ports: tuple[PortRange, ...] = ()
    ports: tuple[PortRange, ...] = ()
    """Ports on either side."""
    devices: tuple[str, ...] = ()


class Tier(Node):
    """A named class of traffic and the tin it goes to; any of its matches is enough."""

    name: str
    tin: Tin
    matches: tuple[Match, ...]
