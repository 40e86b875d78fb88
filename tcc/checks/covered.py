"""What the matches so far take, so that it is quick to ask whether a later one gets anything.

Everything is kept by value, in a table for each set of conditions: ports as sorted ranges that do
not touch, addresses by prefix length, marks by mask. So n matches take n steps, not n times n.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping
from itertools import product
from math import prod
from typing import NamedTuple

from tcc.dscp import name_of
from tcc.ir import MarkMatch, Match, PortRange
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


MANY = 512
"""Combinations of values above which a match is not taken apart."""
Said = tuple[str, ...]
Value = int | str | MarkMatch | PortRange
Values = Mapping[str, Value]
Point = tuple[Hashable, ...]


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


def _prefix(address: str) -> tuple[int, int, int, int]:
    """Return version, width, length and network of an address or prefix."""
    from ipaddress import ip_network  # noqa: PLC0415  (few tiers have addresses)

    network = ip_network(address, strict=False)
    return network.version, network.max_prefixlen, network.prefixlen, int(network.network_address)


class Table:
    """What matches with the same conditions have taken, by their values.

    There is an entry for each combination of values; the ports of one condition are ranges in it.
    """

    def __init__(self, said: Said) -> None:
        self.ported = next((field for field in said if field in PORTS), "")
        self.fields = tuple(field for field in said if field != self.ported)
        self.entries: dict[Point, Place | Ranges] = {}
        self.wider: dict[str, set[tuple[int, int]]] = {}
        """Of addresses the versions and lengths that are there, of marks the masks, twice."""

    def add(self, values: Values, place: Place) -> None:
        """Take the packets that have all of `values`."""
        point = tuple(self._as_taken(field, values[field]) for field in self.fields)
        ports = values.get(self.ported)
        taken = self.entries.setdefault(point, Ranges() if self.ported else place)
        if isinstance(taken, Ranges) and isinstance(ports, PortRange):
            taken.add(ports, place)

    def _as_taken(self, field: str, value: Value) -> Hashable:
        wider = self.wider.setdefault(field, set())
        if isinstance(value, MarkMatch):
            wider.add((value.mask, value.mask))
            return value.value, value.mask
        if field in ADDRESSES:
            version, width, length, network = _prefix(str(value))
            wider.add((version, length))
            return version, length, network >> (width - length)
        return _hashable(value)

    def holding(self, values: Values) -> Place | None:
        """Return the place that takes every packet with all of `values`."""
        if any(field not in values for field in self.fields):
            return None
        ports = self._asked_ports(values)
        if self.ported and ports is None:
            return None
        for point in product(*(self._wider(field, values[field]) for field in self.fields)):
            taken = self.entries.get(point)
            if isinstance(taken, Ranges) and ports is not None:
                taken = taken.holding(ports)
            if isinstance(taken, Place):
                return taken
        return None

    def _wider(self, field: str, value: Value) -> list[Hashable]:
        """Return the values of entries that would take `value`."""
        wider = self.wider.get(field, set())
        if isinstance(value, MarkMatch):
            masks = [mask for mask, _ in wider if mask & value.mask == mask]
            return [(value.value & mask, mask) for mask in masks]
        if field in ADDRESSES:
            version, width, length, network = _prefix(str(value))
            lengths = [shorter for of, shorter in wider if of == version and shorter <= length]
            return [(version, shorter, network >> (width - shorter)) for shorter in lengths]
        return [_hashable(value)]

    def _asked_ports(self, values: Values) -> PortRange | None:
        """Return the ports that must be taken: those on either side take those on one."""
        fields = PORTS if self.ported == "ports" else (self.ported,)
        ports = next((values[field] for field in fields if field in values), None)
        return ports if isinstance(ports, PortRange) else None


class Covered:
    """The packets that matches so far have taken.

    A match is taken apart into combinations of one value for each condition. One is taken when
    an earlier one asks for no more than it does: of each condition the same value or a wider
    one, or nothing.
    """

    def __init__(self) -> None:
        self.tables: dict[Said, Table] = {}
        self.same: dict[tuple[object, ...], Place] = {}
        """Matches of too many combinations, which take only what an equal one would ask for."""

    def add(self, match: Match, said: Said, place: Place) -> None:
        """Take the packets of a match."""
        combinations = _combinations(match, said)
        if combinations is None:
            self.same.setdefault(_key(match, said), place)
            return
        table = self.tables.get(said) or self.tables.setdefault(said, Table(said))
        for values in combinations:
            table.add(values, place)

    def taken(self, match: Match, said: Said) -> tuple[Place | None, list[Taken]]:
        """Return what is taken of a match: the place that takes it all, and single values."""
        combinations = _combinations(match, said)
        if combinations is None:
            return self.same.get(_key(match, said)), []
        taken = [(values, self._place(values)) for values in combinations]
        places = [place for _, place in taken if place is not None]
        if places and len(places) == len(taken):
            return places[0], []
        return None, list(_parts(match, said, taken)) if places else []

    def _place(self, values: Values) -> Place | None:
        for table in self.tables.values():
            place = table.holding(values)
            if place is not None:
                return place
        return None


def _combinations(match: Match, said: Said) -> list[Values] | None:
    """Return every combination of one value for each condition; None when they are too many."""
    choices = [getattr(match, field) for field in said]
    if prod(map(len, choices)) > MANY:
        return None
    return [dict(zip(said, values, strict=True)) for values in product(*choices)]


def _parts(match: Match, said: Said, taken: list[tuple[Values, Place | None]]) -> Iterator[Taken]:
    """Yield each value of which every combination is taken, when others of its field are not."""
    for field in said:
        values = getattr(match, field)
        for value in values if len(values) > 1 else ():
            places = [place for each, place in taken if each[field] == value]
            if places[0] is not None and None not in places:
                yield Taken(field, _named(field, value), places[0])


def said_of(match: Match) -> Said:
    """Return the conditions that a match has, in a fixed order."""
    return tuple(field for field in FIELDS if getattr(match, field))


def _key(match: Match, said: Said) -> tuple[object, ...]:
    return tuple((field, frozenset(map(_hashable, getattr(match, field)))) for field in said)


def _hashable(value: Value) -> Hashable:
    return value if isinstance(value, int | str) else tuple(vars(value).values())


def _named(field: str, value: object) -> str:
    if isinstance(value, PortRange):
        first, last = value.first, value.last
        return f"port {first}" if first == last else f"{first}..{last}"
    if field == "dscp" and isinstance(value, int):
        return name_of(value)
    return str(value) if isinstance(value, int | str) else f"the {field.removesuffix('s')}"
