"""The conditions of a `match` in nft's words."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from itertools import product
from typing import Final

from tcc.ir import Match, PortRange
from tcc.language import PROTOCOLS

FAMILIES: Final = {"ip": 4, "ip6": 6}
_PORTS_OF: Final = ("tcp", "udp")


def alternatives(match: Match, *, local_sends: bool, other: str) -> Iterator[str]:
    """Yield rules' conditions, any of which is enough for `match`.

    Its DSCPs are left out: whoever asks knows what becomes of each (`with_dscp`). One rule
    does not hold for both IP versions where addresses count, nor for both sides of a port.

    Args:
        match: what a policy says.
        local_sends: whether the packets come from the hosts' side of the link.
        other: nft's word for the other interface, `iifname` or `oifname`.
    """
    sides = ("saddr", "daddr") if local_sends else ("daddr", "saddr")
    ends = ("sport", "dport") if local_sends else ("dport", "sport")
    parts: list[Sequence[str]] = [_addresses(match, sides), _marks(match), [_protocol(match)]]
    parts += [
        [f"th {end} {_ranges(ports)}"] if ports else [""]
        for end, ports in zip(ends, (match.local_ports, match.remote_ports), strict=True)
    ]
    if match.ports:
        parts.append([f"th {end} {_ranges(match.ports)}" for end in ("sport", "dport")])
    if match.devices:
        names = [f'"{name}"' for name in match.devices]
        parts.append([f"{other} {_any_of(names)}"])
    for chosen in product(*parts):
        yield " ".join(filter(None, chosen))


def with_dscp(conditions: str, dscps: Sequence[int]) -> Iterator[str]:
    """Yield `conditions` for packets with one of `dscps`, of each IP version that they allow."""
    for family, other in (("ip", "ip6 "), ("ip6", "ip ")):
        if other not in f"{conditions} ":
            words = f"{family} dscp {_any_of([str(one) for one in dscps])}"
            yield " ".join(filter(None, (words, conditions)))


def _addresses(match: Match, sides: tuple[str, str]) -> list[str]:
    """Return the alternatives of the addresses: one for each IP version that can match."""
    asked = [
        (side, addresses)
        for side, addresses in zip(
            sides, (match.local_addresses, match.remote_addresses), strict=True
        )
        if addresses
    ]
    if not asked:
        return [""]
    found = []
    for family, version in FAMILIES.items():
        parts = []
        for side, addresses in asked:
            if fitting := _networks(addresses, version):
                parts.append(f"{family} {side} {_any_of(fitting)}")
        if len(parts) == len(asked):
            found.append(" ".join(parts))
    return found


def _networks(addresses: Sequence[str], version: int) -> list[str]:
    """Return the addresses of one IP version, without those that are inside of others."""
    four = [one for one in map(ip_network, addresses) if isinstance(one, IPv4Network)]
    six = [one for one in map(ip_network, addresses) if isinstance(one, IPv6Network)]
    found = collapse_addresses(four) if version == 4 else collapse_addresses(six)
    return [_written(one) for one in found]


def _written(network: IPv4Network | IPv6Network) -> str:
    single = network.prefixlen == network.max_prefixlen
    return str(network.network_address) if single else str(network)


def _marks(match: Match) -> list[str]:
    return [f"meta mark & {one.mask:#x} == {one.value:#x}" for one in match.marks] or [""]


def _protocol(match: Match) -> str:
    ported = match.local_ports or match.remote_ports or match.ports
    names = match.protocols or (_PORTS_OF if ported else ())
    numbers = [str(PROTOCOLS.get(name, name)) for name in names]
    return f"meta l4proto {_any_of(numbers)}" if numbers else ""


def _ranges(ports: Sequence[PortRange]) -> str:
    """Return ports as a set without overlaps, which nft(8) refuses."""
    merged: list[list[int]] = []
    for one in sorted(ports, key=lambda port: port.first):
        if merged and one.first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], one.last)
        else:
            merged.append([one.first, one.last])
    return _any_of([str(a) if a == b else f"{a}-{b}" for a, b in merged])


def _any_of(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else "{ " + ", ".join(values) + " }"
