"""Which tier and tin one packet lands in, and why: what rules, filters and CAKE do with it.

It follows a packet as the kernel does. On the way out: the first tier that matches sets the
DSCP, then CAKE looks at the packet's mark, if it is told to, and else at the DSCP. On the way
in: the DSCP of the connection's tier is restored where one has been noted, then the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, Literal

from tcc.dscp import name_of
from tcc.ir import Match, PortRange, Tier
from tcc.language import PROTOCOLS
from tcc.lower.ingress import clears_priority, tin_mode
from tcc.lower.link import LoweredQdisc
from tcc.lower.marks import goes_there, mark_of
from tcc.lower.tiers import tiers_of

WITH_PORTS: Final = frozenset({6, 17, 33, 132, 136})
"""TCP, UDP, DCCP, SCTP, UDP-Lite."""
PRIORITY: Final = (0, 0, 2, 2, 6, 6, 4, 4)
"""The priority that Linux derives from the low bits of an IPv4 DSCP (rt_tos2priority())."""


@dataclass(frozen=True, slots=True)
class Packet:
    """What is known of a packet; None is not known. `local` is the hosts' side of the link."""

    local: IPv4Address | IPv6Address | None = None
    remote: IPv4Address | IPv6Address | None = None
    protocol: int | None = None
    local_port: int | None = None
    remote_port: int | None = None
    dscp: int = 0
    mark: int = 0
    device: str | None = None

    @property
    def version(self) -> int | None:
        """4 or 6, where an address tells."""
        known = self.remote or self.local
        return known.version if known else None


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a packet ends up in one direction of one link on one device."""

    link: str
    device: str
    direction: Literal["egress", "ingress"]
    kind: str
    tier: str | None
    tin: str | None
    """As tc heads its columns; None for a kind without tins."""
    dscp: int
    """What CAKE reads."""
    why: tuple[str, ...]


def landings(lowered: Sequence[LoweredQdisc], packet: Packet) -> Iterator[Landing]:
    """Yield where `packet` lands, for each qdisc that was lowered."""
    for one in lowered:
        if one.settings is not None:
            yield _landing(one, packet)


def _landing(one: LoweredQdisc, packet: Packet) -> Landing:
    wish, mode = one.wish, tin_mode(one)
    place = Landing(
        wish.link.name, wish.device.name, wish.direction, one.kind, None, None, packet.dscp, ()
    )
    tier, why = _tier(one, packet)
    if mode is None:
        return replace(place, why=(f"{one.kind} has no tins: every packet waits in one queue",))
    dscp, more = _dscp(one, tier, packet, mode)
    tin, last = _tin(one, mode, dscp, packet)
    name = tier[0].name if tier else None
    return replace(place, tier=name, tin=tin, dscp=dscp, why=(*why, *more, *last))


Found = tuple[Tier, Match]


def _tier(one: LoweredQdisc, packet: Packet) -> tuple[Found | None, list[str]]:
    """Return the first tier and match that hold, and what could not be told before it."""
    why: list[str] = []
    for _, tier in tiers_of(one.wish):
        for match in tier.matches:
            verdict, unknown = _holds(match, packet)
            if verdict:
                return (tier, match), [*why, f"tier {tier.name}: {_words(match)}"]
            if verdict is None:
                why.append(
                    f"tier {tier.name} comes first if its {unknown} fits, which is not given"
                )
    return None, [*why, "no tier matches"]


def _holds(match: Match, packet: Packet) -> tuple[bool | None, str]:
    """Whether all conditions hold; None, and which one, where that is not known."""
    unknown = ""
    for name, verdict in _conditions(match, packet):
        if verdict is False:
            return False, ""
        if verdict is None:
            unknown = unknown or name
    return (None if unknown else True), unknown


def _conditions(match: Match, packet: Packet) -> Iterator[tuple[str, bool | None]]:
    """Yield each condition that a match has, and whether it holds."""
    if match.dscp:
        yield "DSCP", packet.dscp in match.dscp
    if match.marks:
        yield "mark", any(packet.mark & one.mask == one.value for one in match.marks)
    ported = match.local_ports or match.remote_ports or match.ports
    if match.protocols or ported:
        names = [PROTOCOLS.get(one, one) for one in match.protocols]
        wanted = {int(one) for one in names} or WITH_PORTS
        yield "protocol", None if packet.protocol is None else packet.protocol in wanted
    yield from _address("local address", match.local_addresses, packet.local)
    yield from _address("remote address", match.remote_addresses, packet.remote)
    yield from _port("local port", match.local_ports, packet.local_port)
    yield from _port("remote port", match.remote_ports, packet.remote_port)
    if match.ports:
        sides = [_inside(match.ports, port) for port in (packet.local_port, packet.remote_port)]
        yield "port", True if True in sides else None if None in sides else False
    if match.devices:
        yield "device", None if packet.device is None else packet.device in match.devices


def _address(
    name: str, wanted: Sequence[str], address: IPv4Address | IPv6Address | None
) -> Iterator[tuple[str, bool | None]]:
    if wanted:
        yield (
            name,
            None
            if address is None
            else any(
                address in network
                for network in map(ip_network, wanted)
                if network.version == address.version
            ),
        )


def _port(
    name: str, wanted: Sequence[PortRange], port: int | None
) -> Iterator[tuple[str, bool | None]]:
    if wanted:
        yield name, _inside(wanted, port)


def _inside(wanted: Sequence[PortRange], port: int | None) -> bool | None:
    return None if port is None else any(one.first <= port <= one.last for one in wanted)


def _dscp(
    one: LoweredQdisc, found: Found | None, packet: Packet, mode: str
) -> tuple[int, list[str]]:
    """Return the DSCP that CAKE reads, and how it came about."""
    told = f"DSCP {name_of(packet.dscp).upper()}"
    if found is None:
        return packet.dscp, [f"CAKE reads its {told}"]
    tier, match = found
    native = match == Match(dscp=match.dscp) and all(
        goes_there(each, tier.tin, mode) for each in match.dscp
    )
    if native or (match.dscp and goes_there(packet.dscp, tier.tin, mode)):
        return packet.dscp, [f"{mode} has {told} in the tin of {tier.tin} by itself"]
    mark = mark_of(tier.tin, mode)
    name = name_of(mark).upper()
    if one.wish.direction == "egress":
        return mark, [f"nftables set DSCP {name} before the qdisc"]
    if match.dscp:
        said = "a DSCP that comes in is no reason to note a tier: CAKE reads it as it is"
        return packet.dscp, [said]
    return mark, [
        f"ctinfo restores DSCP {name} from the connection's mark, where the rules have noted it",
        f"the first packet of a connection that begins outside is not known yet: {told}",
    ]


def _tin(one: LoweredQdisc, mode: str, dscp: int, packet: Packet) -> tuple[str, list[str]]:
    """Return the tin, as CAKE chooses it (cake_select_tin() in net/sched/sch_cake.c)."""
    from tcc.engine.cake.tables import MODE_NAMES, mode_of  # noqa: PLC0415  (takes long to load)

    table = mode_of(MODE_NAMES.index(mode))
    names = [name.lower().replace(" ", "") for name in table.names]
    if mode == "besteffort":
        return names[0], ["besteffort has a single tin"]
    mask = getattr(one.settings, "fwmark", 0)
    if mask:
        number = (packet.mark & mask) >> (mask & -mask).bit_length() - 1
        if 1 <= number <= len(names):
            return names[number - 1], [f"the mark chooses tin {number} before any DSCP"]
    if one.kind == "cake_mq" and one.wish.direction == "egress" and packet.version == 4:
        number = PRIORITY[dscp & 7]
        if not clears_priority(one) and 1 <= number <= len(names):
            said = (
                f"the priority {number} that Linux takes from the TOS of IPv4 comes before the DSCP"
            )
            return names[number - 1], [said]
    return names[table.order.index(table.index[dscp])], []


def _words(match: Match) -> str:
    """Return a match about as a policy writes it."""
    parts: list[str] = []
    if match.dscp:
        parts.append(f"dscp {', '.join(map(name_of, match.dscp))}")
    if match.marks:
        parts.append("mark " + ", ".join(f"{one.value:#x}/{one.mask:#x}" for one in match.marks))
    parts += match.protocols
    for side, addresses, ports in (
        ("local ", match.local_addresses, match.local_ports),
        ("remote ", match.remote_addresses, match.remote_ports),
        ("", (), match.ports),
    ):
        if addresses:
            parts.append(f"{side}address {', '.join(addresses)}")
        if ports:
            shown = (
                str(one.first) if one.first == one.last else f"{one.first}..{one.last}"
                for one in ports
            )
            parts.append(f"{side}port {', '.join(shown)}")
    if match.devices:
        parts.append(f"device {', '.join(match.devices)}")
    return " ".join(parts)


def read_address(text: str) -> IPv4Address | IPv6Address:
    """Read an address; raises ValueError for anything else."""
    return ip_address(text)
