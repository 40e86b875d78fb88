r"""Netlink attributes: a declarative table of them, and the two ways through it.

A `Schema` is a tuple of fields.  `encode` turns pairs of name and value into
bytes, in the order given; `decode` turns bytes into pairs, in the order found:

    >>> from tcc.netlink.wire import U32
    >>> schema = Schema("example", (Field(1, "LIMIT", U32),))
    >>> encode(schema, [("LIMIT", 1000)]).hex()
    '08000100e8030000'
    >>> decode(schema, bytes.fromhex("08000100e8030000" "0500630007000000"))
    [('LIMIT', 1000), (99, b'\x07')]

Nothing is lost: attributes that a schema does not know come back under their
number, and such pairs are encoded again as they were.  The form of attributes
is that of netlink(7) and of the kernel's include/net/netlink.h.
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias

from tcc.netlink.wire import Buffer, DecodeError, EncodeError, Pair, Value, Wire

NLA_F_NESTED: Final = 0x8000
TYPE_MASK: Final = 0x3FFF  # the two top bits of an attribute's type are flags
HEADER_SIZE: Final = 4
LONGEST_PAYLOAD: Final = 0xFFFF - HEADER_SIZE

_HEADER = struct.Struct("=HH")
_pack_header = _HEADER.pack
_unpack_header = _HEADER.unpack_from
_PADDING = (b"", b"\0\0\0", b"\0\0", b"\0")

Pairs: TypeAlias = Sequence[Pair]
Reader: TypeAlias = Callable[[str, Buffer, int, int], Value]


class Pad:
    """Filler before 64-bit attributes on machines that must align them; never decoded."""

    __slots__ = ()

    def encode(self, name: str, value: Value) -> bytes:
        """Refuse: the kernel needs no filler from us."""
        raise EncodeError(name, "is filler and carries no value")

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> Value:
        """Return nothing of interest; `decode` leaves filler out before asking."""
        return b""


PAD = Pad()


@dataclass(frozen=True, slots=True)
class Field:
    """One attribute of a schema: number, name without prefix, wire type.

    `nested_flag` sets NLA_F_NESTED on the wire, for the attributes on which
    the kernel insists or where tc sets it; reading ignores that bit.
    """

    number: int
    name: str
    wire: Wire
    nested_flag: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """The attributes that may stand in one nest, called `name` in error texts."""

    name: str
    fields: tuple[Field, ...]
    by_name: Mapping[str, Field] = field(init=False, repr=False)
    by_number: Mapping[int, Field] = field(init=False, repr=False)
    readers: Mapping[int, tuple[str, Reader | None]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Build the two look-ups; numbers and names must be unique."""
        by_name = {entry.name: entry for entry in self.fields}
        by_number = {entry.number: entry for entry in self.fields}
        if not len(by_name) == len(by_number) == len(self.fields):
            raise ValueError(f"schema {self.name}: a name or a number stands twice")
        object.__setattr__(self, "by_name", by_name)
        object.__setattr__(self, "by_number", by_number)
        readers = {
            entry.number: (entry.name, None if entry.wire is PAD else entry.wire.decode)
            for entry in self.fields
        }
        object.__setattr__(self, "readers", readers)


def attribute(kind: int, payload: bytes) -> bytes:
    """Return one attribute: header, payload, padding to four bytes."""
    length = HEADER_SIZE + len(payload)
    return _pack_header(length, kind) + payload + _PADDING[length & 3]


def encode(schema: Schema, pairs: Pairs) -> bytes:
    """Return the attributes of `pairs`, in their order.

    Raises:
        EncodeError: a name that the schema does not have, a value outside its
            range, or a payload that does not fit the 16-bit length.
    """
    parts = []
    by_name = schema.by_name
    for name, value in pairs:
        if isinstance(name, int):
            parts.append(_encode_unknown(schema, name, value))
            continue
        entry = by_name.get(name)
        if entry is None:
            known = ", ".join(each.name for each in schema.fields if each.wire is not PAD)
            raise EncodeError(f"{schema.name}.{name}", f"no such attribute; known: {known}")
        payload = entry.wire.encode(name, value)
        if len(payload) > LONGEST_PAYLOAD:
            raise EncodeError(name, f"{len(payload)} bytes are outside 0..{LONGEST_PAYLOAD}")
        number = entry.number | NLA_F_NESTED if entry.nested_flag else entry.number
        parts.append(attribute(number, payload))
    return b"".join(parts)


def _encode_unknown(schema: Schema, number: int, value: Value) -> bytes:
    """Return an attribute that `decode` could only name by number."""
    name = f"{schema.name}[{number}]"
    if not 0 <= number <= TYPE_MASK:
        raise EncodeError(name, f"the number is outside 0..{TYPE_MASK}")
    if number in schema.by_number:
        raise EncodeError(name, f"has a name, {schema.by_number[number].name}: use it")
    if not isinstance(value, bytes):
        raise EncodeError(name, f"an attribute without a name takes bytes, got {value!r}")
    if len(value) > LONGEST_PAYLOAD:
        raise EncodeError(name, f"{len(value)} bytes are outside 0..{LONGEST_PAYLOAD}")
    return attribute(number, value)


def walk(data: Buffer, start: int, stop: int, name: str) -> Iterator[tuple[int, int, int]]:
    """Yield number, start and stop of the payload of each attribute in a nest.

    Raises:
        DecodeError: a header that does not fit, or a length that leaves the nest.
    """
    while start < stop:
        length, kind = _unpack_header(data, start) if stop - start >= HEADER_SIZE else (0, 0)
        if not HEADER_SIZE <= length <= stop - start:
            _complain(name, kind, length, stop - start)
        yield kind & TYPE_MASK, start + HEADER_SIZE, start + length
        start += (length + 3) & ~3


def _complain(name: str, kind: int, length: int, left: int) -> NoReturn:
    """Raise the error for a header that does not fit into what is left of its nest."""
    if left < HEADER_SIZE:
        raise DecodeError(name, f"{left} stray bytes after the last attribute")
    raise DecodeError(name, f"attribute {kind & TYPE_MASK} says {length} bytes; {left} are left")


def decode(schema: Schema, data: Buffer, start: int = 0, stop: int | None = None) -> list[Pair]:
    """Return what stands in `data[start:stop]` as pairs, in the order found.

    An attribute that the schema does not know becomes `(number, bytes)`.

    Raises:
        DecodeError: truncated data, or a payload of the wrong size.
    """
    pairs: list[Pair] = []
    readers = schema.readers
    end = len(data) if stop is None else stop
    while start < end:  # as `walk`, without a generator: every statistic passes here
        length, kind = _unpack_header(data, start) if end - start >= HEADER_SIZE else (0, 0)
        last = start + length
        if length < HEADER_SIZE or last > end:
            _complain(schema.name, kind, length, end - start)
        reader = readers.get(kind & TYPE_MASK)
        if reader is None:
            pairs.append((kind & TYPE_MASK, bytes(data[start + HEADER_SIZE : last])))
        elif reader[1] is not None:
            name = reader[0]
            pairs.append((name, reader[1](name, data, start + HEADER_SIZE, last)))
        start += (length + 3) & ~3
    return pairs


class Nested:
    """An attribute whose payload is attributes again."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def encode(self, name: str, value: Value) -> bytes:
        """Return the inner attributes."""
        return encode(self.schema, _pairs(name, value))

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> list[Pair]:
        """Return the inner pairs."""
        return decode(self.schema, data, start, stop)


class Array:
    """A nest of equal things that the kernel tells apart by number, from 1.

    The pairs are `(number, value)`: CAKE's tins, the actions of a filter.
    """

    __slots__ = ("element",)

    def __init__(self, element: Wire) -> None:
        self.element = element

    def encode(self, name: str, value: Value) -> bytes:
        """Return the elements, each under the number it was given."""
        parts = []
        for index, entry in _pairs(name, value):
            if not isinstance(index, int) or not 0 <= index <= TYPE_MASK:
                raise EncodeError(name, f"element number {index!r} is outside 0..{TYPE_MASK}")
            parts.append(attribute(index, self.element.encode(f"{name}[{index}]", entry)))
        return b"".join(parts)

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> list[Pair]:
        """Return the elements with their numbers."""
        return [
            (index, self.element.decode(f"{name}[{index}]", data, first, last))
            for index, first, last in walk(data, start, stop, name)
        ]


def _pairs(name: str, value: Value) -> Pairs:
    """Return `value` if it is a sequence of pairs; raise `EncodeError` if not."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        pairs: list[Pair] = []
        for entry in value:
            if not isinstance(entry, tuple) or len(entry) != len(("name", "value")):
                raise EncodeError(name, f"expected a pair of name and value, got {entry!r}")
            pairs.append(entry)
        return pairs
    raise EncodeError(name, f"expected a sequence of pairs, got {value!r}")


def locate(schema: Schema, data: Buffer, offset: int) -> str | None:
    """Return the dotted name of the attribute that starts at, or holds, byte `offset`.

    The kernel says where in a request the attribute is that it refuses
    (NLMSGERR_ATTR_OFFS); this says which one that is.  None if there is none.
    """
    return _locate(schema, data, 0, len(data), offset)


def _locate(schema: Schema, data: Buffer, start: int, stop: int, offset: int) -> str | None:
    for number, first, last in walk(data, start, stop, schema.name):
        if not first - HEADER_SIZE <= offset < max(last, first):
            continue
        entry = schema.by_number.get(number)
        if entry is None:
            return str(number)
        if offset >= first and isinstance(entry.wire, Nested):
            inner = _locate(entry.wire.schema, data, first, last, offset)
            return f"{entry.name}.{inner}" if inner else entry.name
        return entry.name
    return None
