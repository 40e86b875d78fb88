"""The payload of one netlink attribute: how a value becomes bytes, and back.

Each class here is one wire type.  All of them answer the same two questions,
`encode` and `decode`, so that a schema (`tcc.netlink.attributes`) is only a
table of names, numbers and wire types.

Netlink integers are in the byte order of the machine unless an attribute says
otherwise (netlink(7)); `U16_BE` and `U32_BE` are for those that do.
"""

import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview
Pair: TypeAlias = tuple[str | int, "Value"]
Value: TypeAlias = int | str | bytes | Mapping[str, int] | Sequence[int] | Sequence[Pair]


class EncodeError(ValueError):
    """A value that an attribute cannot carry; the text names the attribute and its range."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name


class DecodeError(ValueError):
    """Bytes that do not have the form their attribute must have."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name


class Wire(Protocol):
    """How one attribute's payload is written and read."""

    def encode(self, name: str, value: Value) -> bytes:
        """Return the payload for `value`; raise `EncodeError` naming `name`."""

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> Value:
        """Return the value in `data[start:stop]`; raise `DecodeError` naming `name`."""


def integer_range(code: str) -> tuple[int, int]:
    """Return the smallest and largest integer that the struct format `code` holds."""
    bits = 8 * struct.calcsize("=" + code)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)


def check_integer(name: str, value: object, low: int, high: int) -> int:
    """Return `value` if it is an integer in `low..high`; raise `EncodeError` if not."""
    if not isinstance(value, int):
        raise EncodeError(name, f"expected an integer in {low}..{high}, got {value!r}")
    if not low <= value <= high:
        raise EncodeError(name, f"{value} is outside {low}..{high}")
    return value


class Scalar:
    """One integer of fixed size: `code` is its struct format, `order` its byte order."""

    __slots__ = ("_pack", "_size", "_unpack", "code", "high", "low", "order")

    def __init__(self, code: str, order: str = "=") -> None:
        layout = struct.Struct(order + code)
        self.code = code
        self.order = order
        self.low, self.high = integer_range(code)
        self._pack = layout.pack
        self._unpack = layout.unpack_from
        self._size = layout.size

    def encode(self, name: str, value: Value) -> bytes:
        """Return the integer's bytes; raise `EncodeError` when it is out of range."""
        try:
            return self._pack(value)
        except struct.error:  # say which and why only when it went wrong
            check_integer(name, value, self.low, self.high)
            raise

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> int:
        """Return the integer; raise `DecodeError` when the payload has another size."""
        if stop - start != self._size:
            raise DecodeError(name, f"expected {self._size} bytes, got {stop - start}")
        number: int = self._unpack(data, start)[0]
        return number


U8 = Scalar("B")
U16 = Scalar("H")
U32 = Scalar("I")
U64 = Scalar("Q")
S32 = Scalar("i")
S64 = Scalar("q")
U16_BE = Scalar("H", ">")
U32_BE = Scalar("I", ">")


@dataclass(frozen=True, slots=True)
class Text:
    """A string ended by NUL, at most `longest` bytes without it.

    Names of interfaces are bytes to the kernel: those that are not UTF-8
    survive a round trip as surrogate escapes.
    """

    longest: int = 65_000

    def encode(self, name: str, value: Value) -> bytes:
        """Return the text with its NUL."""
        if not isinstance(value, str):
            raise EncodeError(name, f"expected text, got {value!r}")
        data = value.encode("utf-8", "surrogateescape")
        if b"\0" in data:
            raise EncodeError(name, "a NUL inside the text would end it early")
        if len(data) > self.longest:
            raise EncodeError(name, f"{len(data)} bytes are outside 0..{self.longest}")
        return data + b"\0"

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> str:
        """Return the text up to the first NUL, or all of it if there is none."""
        return bytes(data[start:stop]).partition(b"\0")[0].decode("utf-8", "surrogateescape")


TEXT = Text()
NAME = Text(15)  # IFNAMSIZ and the kinds of qdiscs: 16 bytes with the NUL


class Flag:
    """An attribute that says something by being there: no payload."""

    __slots__ = ()

    def encode(self, name: str, value: Value) -> bytes:
        """Return nothing; to leave a flag out, leave its pair out."""
        if value is not True:
            raise EncodeError(name, f"a flag is True or absent, got {value!r}")
        return b""

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> bool:
        """Return True, whatever the payload."""
        return True


FLAG = Flag()


class Raw:
    """Bytes that this layer does not look into; `size` fixes their number."""

    __slots__ = ("size",)

    def __init__(self, size: int | None = None) -> None:
        self.size = size

    def encode(self, name: str, value: Value) -> bytes:
        """Return the bytes themselves."""
        if not isinstance(value, bytes | bytearray | memoryview):
            raise EncodeError(name, f"expected bytes, got {value!r}")
        if self.size is not None and len(value) != self.size:
            raise EncodeError(name, f"expected {self.size} bytes, got {len(value)}")
        return bytes(value)

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> bytes:
        """Return a copy of the bytes."""
        if self.size is not None and stop - start != self.size:
            raise DecodeError(name, f"expected {self.size} bytes, got {stop - start}")
        return bytes(data[start:stop])


RAW = Raw()


class Record(Mapping[str, int]):
    """The fields of a structure that was read: a mapping without the cost of a dict."""

    __slots__ = ("_numbers", "_places")

    def __init__(self, places: Mapping[str, int], numbers: Sequence[int]) -> None:
        self._places = places
        self._numbers = numbers

    def __getitem__(self, name: str) -> int:
        """Return a field; raise `KeyError` if the structure has none of that name."""
        return self._numbers[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the structure's order."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of fields."""
        return len(self._places)

    def __repr__(self) -> str:
        """Show names and numbers, as a dict would."""
        return repr(dict(self))


class Struct:
    """A C structure of integers: a mapping from field name to integer.

    `layout` names each field with its struct format, for example
    `"limit:I buffer:I"`.  `:x` is a byte of padding and `name:>H` a field in
    network byte order.  Fields left out of a mapping are zero, as in C;
    fields that the structure does not have are an error.  The kernel may add
    fields at the end of a structure: those are ignored.
    """

    __slots__ = ("_big", "_codes", "_layout", "_unpack", "code", "names", "places", "size")

    def __init__(self, layout: str) -> None:
        words = [word.split(":") for word in layout.split()]
        fields = [(name, code) for name, code in words if name]
        self.names = tuple(name for name, _ in fields)
        self._codes = tuple(code.lstrip(">") for _, code in fields)
        self._big = tuple(i for i, (_, code) in enumerate(fields) if code.startswith(">"))
        self.places = {name: place for place, name in enumerate(self.names)}
        self.code = "".join(code.lstrip(">") for _, code in words)
        self._layout = struct.Struct("=" + self.code)
        self._unpack = self._layout.unpack_from
        self.size = self._layout.size

    def encode(self, name: str, value: Value) -> bytes:
        """Return the structure's bytes."""
        if not isinstance(value, Mapping):
            raise EncodeError(name, f"expected a mapping of field names, got {value!r}")
        numbers = [value.get(field, 0) for field in self.names]
        if not value.keys() <= self.places.keys():
            unknown = ", ".join(sorted(value.keys() - self.places.keys()))
            raise EncodeError(f"{name}.{unknown}", f"no such field; known: {', '.join(self.names)}")
        try:
            return self._layout.pack(*self._swap(numbers))
        except (struct.error, OverflowError, TypeError):  # say which only when it went wrong
            for field, code, number in zip(self.names, self._codes, numbers, strict=True):
                check_integer(f"{name}.{field}", number, *integer_range(code))
            raise

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> Record:
        """Return the fields; raise `DecodeError` when the payload is too short."""
        if stop - start < self.size:
            raise DecodeError(name, f"expected {self.size} bytes, got {stop - start}")
        numbers = self._unpack(data, start)
        return Record(self.places, self._swap(numbers) if self._big else numbers)

    @property
    def mixed_order(self) -> bool:
        """Whether some field is big-endian."""
        return bool(self._big)

    def _swap(self, numbers: Sequence[int]) -> Sequence[int]:
        """Change the big-endian fields between network and machine order."""
        if not self._big:
            return numbers
        swapped = list(numbers)
        for index in self._big:
            turn = socket.htons if self._codes[index] == "H" else socket.htonl
            swapped[index] = turn(swapped[index])
        return swapped


class Table:
    """A packed sequence of integers of one size, such as a rate table."""

    __slots__ = ("_code", "_size", "high", "low")

    def __init__(self, code: str) -> None:
        self._code = code
        self._size = struct.calcsize("=" + code)
        self.low, self.high = integer_range(code)

    def encode(self, name: str, value: Value) -> bytes:
        """Return the integers' bytes."""
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            raise EncodeError(name, f"expected a sequence of integers, got {value!r}")
        numbers = [
            check_integer(f"{name}[{index}]", entry, self.low, self.high)
            for index, entry in enumerate(value)
        ]
        return struct.pack(f"={len(numbers)}{self._code}", *numbers)

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> list[int]:
        """Return the integers; raise `DecodeError` on a broken last one."""
        count, rest = divmod(stop - start, self._size)
        if rest:
            raise DecodeError(name, f"{stop - start} bytes are no multiple of {self._size}")
        return list(struct.unpack_from(f"={count}{self._code}", data, start))
