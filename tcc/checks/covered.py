"""What the matches so far take, so that it is quick to ask whether a later one gets anything.

Everything is kept by value: marks and protocols in tables, ports as sorted ranges that do
not touch, addresses by prefix length. So n matches take n steps, and not n times n.
"""

from bisect import bisect_right
from typing import NamedTuple

from tcc.dscp import name_of
from tcc.ir import Match, PortRange
from tcc.source import Span

PORTS = ("local_ports", "remote_ports", "ports")
ADDRESSES = ("local_addresses", "remote_addresses")
VALUES = ("dscp", "marks", "protocols", "devices")
FIELDS = (*VALUES, *ADDRESSES, *PORTS)


class Place(NamedTuple):
    """A match: the number of its tier, and where it was written."""

    tier: int
    span: Span | None


class Taken(NamedTuple):
    """One value of a match, for people, and the match that takes its packets."""

    field: str
    value: str
    place: Place


Said = tuple[str, ...]


class Ranges:
    """Ports that are taken: ranges in order, with a gap between any two."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.places: list[Place] = []

    def holding(self, ports: PortRange) -> Place | None:
        """Return the place of the range that holds all of `ports`."""
        at = bisect_right(self.firsts, ports.first) - 1
        return self.places[at] if at >= 0 and self.lasts[at] >= ports.last else None

    def add(self, ports: PortRange, place: Place) -> None:
        """Add a range, joined with those that it touches; the first place stays."""
        first, last = ports.first, ports.last
        start = bisect_right(self.firsts, first)
        if start and self.lasts[start - 1] >= first - 1:
            start -= 1
        end = bisect_right(self.firsts, last + 1)
        if start < end:
            first = min(first, self.firsts[start])
            last = max(last, self.lasts[end - 1])
            place = self.places[start]
        self.firsts[start:end] = [first]
        self.lasts[start:end] = [last]
        self.places[start:end] = [place]


class Prefixes:
    """Addresses that are taken, by IP version, length and network."""

    def __init__(self) -> None:
        self.networks: dict[tuple[int, int, int], Place] = {}
        self.lengths: dict[int, set[int]] = {4: set(), 6: set()}

    def holding(self, address: str) -> Place | None:
        """Return the place of a prefix that holds all of `address`."""
        version, width, length, network = _prefix(address)
        for shorter in self.lengths[version]:
            if shorter <= length:
                key = (version, shorter, network >> (width - shorter))
                if key in self.networks:
                    return self.networks[key]
        return None

    def add(self, address: str, place: Place) -> None:
        """Add an address or a prefix."""
        version, width, length, network = _prefix(address)
        self.lengths[version].add(length)
        self.networks.setdefault((version, length, network >> (width - length)), place)


def _prefix(address: str) -> tuple[int, int, int, int]:
    """Return version, width, length and network of an address or prefix."""
    from ipaddress import ip_network  # noqa: PLC0415  (few tiers have addresses)

    network = ip_network(address, strict=False)
    return network.version, network.max_prefixlen, network.prefixlen, int(network.network_address)


class Covered:
    """The packets that matches so far have taken.

    A match with several conditions takes only what an equal one would ask for; one with a
    single condition takes every packet that has one of its values.
    """

    def __init__(self) -> None:
        self.same: dict[tuple[object, ...], Place] = {}
        self.values: dict[tuple[str, object], Place] = {}
        self.ranges: dict[tuple[str, str], Ranges] = {}
        self.prefixes: dict[str, Prefixes] = {}

    def add(self, match: Match, said: Said, place: Place) -> None:
        """Take the packets of a match."""
        self.same.setdefault(_key(match, said), place)
        if len(said) == 1 and said[0] in VALUES:
            for value in getattr(match, said[0]):
                self.values.setdefault((said[0], _hashable(value)), place)
        elif len(said) == 1 and said[0] in ADDRESSES:
            taken = self.prefixes.setdefault(said[0], Prefixes())
            for address in getattr(match, said[0]):
                taken.add(address, place)
        elif len(said) == 2 and said[0] == "protocols" and said[1] in PORTS:
            for protocol in match.protocols:
                ranges = self.ranges.setdefault((protocol, said[1]), Ranges())
                for ports in getattr(match, said[1]):
                    ranges.add(ports, place)

    def taken(self, match: Match, said: Said) -> tuple[Place | None, list[Taken]]:
        """Return what is taken of a match: the place that takes it all, and single values."""
        place = self.same.get(_key(match, said))
        if place is not None:
            return place, []
        parts: list[Taken] = []
        for field in said:
            each = self._each(match, field)
            if None not in [place for _, place in each]:
                return each[0][1], []
            parts += [Taken(field, value, place) for value, place in each if place is not None]
        return None, parts

    def _each(self, match: Match, field: str) -> list[tuple[str, Place | None]]:
        """Return each value of a field, for people, with the place that takes it."""
        values = getattr(match, field)
        if field in ADDRESSES:
            prefixes = self.prefixes.get(field)
            return [(value, prefixes.holding(value) if prefixes else None) for value in values]
        if field in PORTS:
            return [(_ports(value), self._ports_taken(match, field, value)) for value in values]
        return [
            (_named(field, value), self.values.get((field, _hashable(value)))) for value in values
        ]

    def _ports_taken(self, match: Match, field: str, ports: PortRange) -> Place | None:
        """Ports on one side are taken by those on it, or on either; for every protocol."""
        place = None
        for protocol in match.protocols:
            for taken in dict.fromkeys((field, "ports")):
                ranges = self.ranges.get((protocol, taken))
                place = ranges.holding(ports) if ranges else None
                if place is not None:
                    break
            if place is None:
                return None
        return place


def said_of(match: Match) -> Said:
    """Return the conditions that a match has, in a fixed order."""
    given = match.__pydantic_fields_set__
    return tuple(field for field in FIELDS if field in given and getattr(match, field))


def _key(match: Match, said: Said) -> tuple[object, ...]:
    return tuple((field, frozenset(map(_hashable, getattr(match, field)))) for field in said)


def _hashable(value: object) -> object:
    return value if isinstance(value, int | str) else tuple(vars(value).values())


def _ports(ports: PortRange) -> str:
    return f"port {ports.first}" if ports.first == ports.last else f"{ports.first}..{ports.last}"


def _named(field: str, value: object) -> str:
    if field == "dscp" and isinstance(value, int):
        return name_of(value)
    return str(value) if isinstance(value, int | str) else f"the {field.removesuffix('s')}"
