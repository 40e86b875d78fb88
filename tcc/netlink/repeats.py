"""Reading the same shape again and again, fast.

A dump of a thousand qdiscs holds a thousand nests that differ in their values
but hardly ever in their headers.  `Repeating` walks through the first of them
as anyone would, then remembers its shape as one struct format; the next nest
of that length is unpacked at a stroke, and if its headers are the very same,
its values stand where the shape says.  What comes out is what the plain way
gives; the plain way also serves whatever is new or malformed.
"""

import struct
from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final, TypeAlias

from tcc.netlink.attributes import PAD, Array, Nested, walk
from tcc.netlink.wire import RAW, Buffer, Pair, Record, Scalar, Struct, Value, Wire

Numbers: TypeAlias = tuple[Any, ...]  # what struct gives: integers, and bytes for the rest
Build: TypeAlias = Callable[[Numbers], Value]

MOST_SHAPES: Final = 64


class Repeating:
    """A nest of attributes that is read often; a wire type like any other."""

    __slots__ = ("_nest", "_shapes")

    def __init__(self, nest: Nested) -> None:
        self._nest = nest
        self._shapes: dict[int, Shape | None] = {}  # by length; None: seen once

    def encode(self, name: str, value: Value) -> bytes:
        """Return the inner attributes."""
        return self._nest.encode(name, value)

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> Value:
        """Return the inner pairs; raise `DecodeError` as `Nested` does."""
        size = stop - start
        shape = self._shapes.get(size)
        if shape is not None:
            numbers = shape.unpack(data, start)
            if shape.heads(numbers) == shape.expected:
                return shape.build(numbers)
        value = self._nest.decode(name, data, start, stop)
        if shape is None and size in self._shapes:
            self._shapes[size] = Shape(self._nest, data, start, stop)
        else:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            self._shapes[size] = None
        return value


class Shape:
    """One sequence of headers, and how to find the values between them.

    The data must already have been decoded once without an error.
    """

    __slots__ = ("_codes", "_count", "_places", "build", "expected", "heads", "unpack")

    def __init__(self, nest: Nested, data: Buffer, start: int, stop: int) -> None:
        self._codes: list[str] = []
        self._count = 0
        self._places: list[int] = []
        self.build = self._nest(nest, data, start, stop)
        self.unpack = struct.Struct("=" + "".join(self._codes)).unpack_from
        self.heads: Callable[[Numbers], object] = (
            itemgetter(*self._places) if self._places else _nothing
        )
        self.expected = self.heads(self.unpack(data, start))

    def _take(self, code: str, count: int) -> int:
        """Add `count` numbers to the format and return the place of the first."""
        self._codes.append(code)
        first = self._count
        self._count += count
        return first

    def _nest(self, nest: Nested | Array, data: Buffer, start: int, stop: int) -> Build:
        """Add a nest, and return what builds its pairs."""
        parts: list[tuple[str | int, Build]] = []
        plain = True
        first_number = self._count + 1
        for number, first, last in walk(data, start, stop, "shape"):
            self._places.append(self._take("I", 1))
            name, wire = _member(nest, number)
            if wire is PAD:
                self._take(f"{last - first}x", 0)
                plain = False
            else:
                plain = plain and isinstance(wire, Scalar) and wire.order == "="
                parts.append((name, self._leaf(str(name), wire, data, first, last)))
            filler = min(start + (last - start + 3 & ~3), stop) - last
            self._take(f"{filler}x", 0)
        if plain:
            return _plain(tuple(name for name, _ in parts), first_number)
        return _mixed(parts)

    def _leaf(self, name: str, wire: Wire, data: Buffer, first: int, last: int) -> Build:
        """Add one attribute's payload, and return what builds its value."""
        if isinstance(wire, Nested | Array):
            return self._nest(wire, data, first, last)
        if isinstance(wire, Scalar) and wire.order == "=":
            return itemgetter(self._take(wire.code, 1))
        if isinstance(wire, Struct) and not wire.mixed_order:
            place = self._take(wire.code, len(wire.names))
            self._take(f"{last - first - wire.size}x", 0)
            return _structure(wire, place)
        return _other(name, wire, self._take(f"{last - first}s", 1), last - first)


def _nothing(numbers: Numbers) -> None:
    """Stand for the headers of a nest that has none."""


def _member(nest: Nested | Array, number: int) -> tuple[str | int, Wire]:
    """Return name and wire type of the attribute `number` of a nest."""
    if isinstance(nest, Array):
        return number, nest.element
    entry = nest.schema.by_number.get(number)
    return (number, RAW) if entry is None else (entry.name, entry.wire)


def _plain(names: tuple[str | int, ...], first: int) -> Build:
    """Build a nest of integers only: header and integer take turns."""
    stop = first + 2 * len(names)

    def build(numbers: Numbers) -> list[Pair]:
        return list(zip(names, numbers[first:stop:2], strict=True))

    return build


def _mixed(parts: list[tuple[str | int, Build]]) -> Build:
    """Build a nest of anything."""

    def build(numbers: Numbers) -> list[Pair]:
        return [(name, part(numbers)) for name, part in parts]

    return build


def _structure(wire: Struct, first: int) -> Build:
    """Build a C structure."""
    stop = first + len(wire.names)
    places = wire.places

    def build(numbers: Numbers) -> Value:
        return Record(places, numbers[first:stop])

    return build


def _other(name: str, wire: Wire, place: int, size: int) -> Build:
    """Build what struct has no code for, by its own wire type."""

    def build(numbers: Numbers) -> Value:
        return wire.decode(name, numbers[place], 0, size)

    return build
