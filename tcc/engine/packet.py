"""The pool of packets: rows of a flat array, linked by index.

A packet is the number of its row.  Nothing is allocated while packets move: a queue, a delay
line, the list of dropped packets and the free list all use the row's `next`.  The pool grows by
doubling, which moves the rows: do not keep `rows` across a call of `take` or `copy`.

A qdisc that drops a packet passes it to `dropped`; whoever called the qdisc takes it from there
with `next_dropped`, tells its owner, and gives it back.

Header bytes are kept only for packets that need them (CAKE's ACK filter reads real headers):
the first 256 bytes of the frame, in a row of their own.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import free, realloc
    from cython.cimports.libc.string import memset
else:
    from tcc.engine.constants import NIL
    from tcc.engine.rows import Packet

    RAW_BYTES = 256
    fields_of = attrgetter(*Packet.__slots__)

if TYPE_CHECKING:
    from collections.abc import Mapping


class PacketPool:
    """Every packet of one simulation.

    Args:
        size: rows to start with; more are made when they run out.
    """

    def __init__(self, size: int = 1024) -> None:
        self.size = 0
        self.used = 0
        self.free_row = NIL
        self.raw_size = 0
        self.raw_used = 0
        self.free_raw = NIL
        self.drop_head = NIL
        self.drop_tail = NIL
        self.drops_waiting = 0
        if not cython.compiled:
            self.rows: list[Packet] = []
            self.bytes = bytearray()
            self.raw_lengths: list[int] = []
        if not self.grow(size):
            raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.rows)
            free(self.bytes)
            free(self.raw_lengths)

    def grow(self, size: cython.int) -> cython.int:
        """Make `size` rows of what there is; return 0 if there is no memory."""
        row: cython.int
        if cython.compiled:
            rows: cython.pointer[Packet] = cython.cast(
                cython.pointer[Packet],
                realloc(self.rows, cython.cast(cython.size_t, size) * cython.sizeof(Packet)),
            )
            if not rows:
                return 0
            self.rows = rows
        else:
            self.rows.extend(Packet() for _ in range(size - self.size))
        for row in range(size - 1, self.size - 1, -1):
            self.rows[row].next = self.free_row
            self.free_row = row
        self.size = size
        return 1

    def take(self) -> cython.int:
        """Return a fresh row of zeroes with no header bytes; NIL if there is no memory."""
        packet: cython.int = self.free_row
        if packet == NIL:
            if not self.grow(self.size * 2):
                return NIL
            packet = self.free_row
        self.free_row = self.rows[packet].next
        if cython.compiled:
            # In halves: gcc clears them in line; for the whole it would take a slow `rep stos`.
            row: cython.pointer[cython.char] = cython.cast(
                cython.pointer[cython.char], cython.address(self.rows[packet])
            )
            memset(row, 0, cython.sizeof(Packet) // 2)
            memset(row + cython.sizeof(Packet) // 2, 0, cython.sizeof(Packet) // 2)
        else:
            self.rows[packet].__init__()  # type: ignore[misc]
        self.rows[packet].next = NIL
        self.rows[packet].raw = NIL
        self.used += 1
        return packet

    def copy(self, packet: cython.int) -> cython.int:
        """Return a fresh row equal to `packet`, without its header bytes."""
        row: cython.int = self.free_row
        if row == NIL:
            if not self.grow(self.size * 2):
                return NIL
            row = self.free_row
        self.free_row = self.rows[row].next
        self.used += 1
        if cython.compiled:
            self.rows[row] = self.rows[packet]
        else:
            for name, value in zip(Packet.__slots__, fields_of(self.rows[packet]), strict=True):
                setattr(self.rows[row], name, value)
        self.rows[row].next = NIL
        self.rows[row].raw = NIL
        return row

    if not cython.compiled:  # for C it is in the .pxd, to be compiled into what calls it

        def give(self, packet: cython.int) -> cython.void:
            """Take a row back."""
            raw: cython.int = self.rows[packet].raw
            if raw != NIL:
                self.raw_lengths[raw] = self.free_raw
                self.free_raw = raw
                self.raw_used -= 1
            self.rows[packet].next = self.free_row
            self.free_row = packet
            self.used -= 1

    def dropped(self, packet: cython.int, reason: cython.int) -> cython.void:
        """Append a packet to the list that the qdisc's caller drains."""
        self.rows[packet].reason = reason
        self.rows[packet].next = NIL
        if self.drop_head == NIL:
            self.drop_head = packet
        else:
            self.rows[self.drop_tail].next = packet
        self.drop_tail = packet
        self.drops_waiting += 1

    def next_dropped(self) -> cython.int:
        """Take the oldest packet off the list of dropped ones; NIL if there is none."""
        packet: cython.int = self.drop_head
        if packet == NIL:
            return NIL
        self.drop_head = self.rows[packet].next
        self.rows[packet].next = NIL
        self.drops_waiting -= 1
        return packet

    def grow_raw(self, size: cython.int) -> cython.int:
        """Make `size` rows of header bytes of what there is; return 0 without memory."""
        row: cython.int
        if cython.compiled:
            memory: cython.pointer[cython.uchar] = cython.cast(
                cython.pointer[cython.uchar],
                realloc(self.bytes, cython.cast(cython.size_t, size) * RAW_BYTES),
            )
            if not memory:
                return 0
            self.bytes = memory
            lengths: cython.pointer[cython.int] = cython.cast(
                cython.pointer[cython.int],
                realloc(
                    self.raw_lengths, cython.cast(cython.size_t, size) * cython.sizeof(cython.int)
                ),
            )
            if not lengths:
                return 0
            self.raw_lengths = lengths
        else:
            self.bytes.extend(bytes((size - self.raw_size) * RAW_BYTES))
            self.raw_lengths.extend([0] * (size - self.raw_size))
        for row in range(size - 1, self.raw_size - 1, -1):
            self.raw_lengths[row] = self.free_raw
            self.free_raw = row
        self.raw_size = size
        return 1

    def take_raw(self) -> cython.int:
        """Return a fresh row of header bytes; its bytes and length are what they were."""
        if self.free_raw == NIL and not self.grow_raw(self.raw_size * 2 + 16):
            return NIL
        row: cython.int = self.free_raw
        self.free_raw = self.raw_lengths[row]
        self.raw_lengths[row] = 0
        self.raw_used += 1
        return row

    def new(self, fields: Mapping[str, int]) -> int:
        """Return a fresh packet with the named fields set (from Python; slow)."""
        packet = self.take()
        if packet == NIL:
            raise MemoryError
        self.write(packet, fields)
        return packet

    def read(self, packet: int) -> dict[str, int]:
        """Return every field of a packet by name (from Python; slow)."""
        self.check(packet)
        if cython.compiled:
            return self.rows[packet]
        return {name: getattr(self.rows[packet], name) for name in Packet.__slots__}

    def write(self, packet: int, fields: Mapping[str, int]) -> None:
        """Set the named fields of a packet (from Python; slow).

        Raises:
            KeyError: a packet has no such field.
        """
        row = self.read(packet)
        unknown = fields.keys() - row.keys()
        if unknown:
            raise KeyError(f"a packet has no {', '.join(sorted(unknown))}")
        row.update(fields)
        if cython.compiled:
            self.rows[packet] = row
        else:
            for name, value in row.items():
                setattr(self.rows[packet], name, value)

    def free(self, packet: int) -> None:
        """Take a packet back (from Python)."""
        self.check(packet)
        self.give(packet)

    def check(self, packet: int) -> None:
        """Refuse a number that is no row: compiled, it would be read all the same."""
        if not 0 <= packet < self.size:
            raise IndexError(f"no packet {packet} in a pool of {self.size}")

    def set_raw(self, packet: int, frame: bytes) -> None:
        """Keep the first 256 bytes of a frame with its packet (from Python)."""
        self.check(packet)
        row = self.take_raw()
        if row == NIL:
            raise MemoryError
        length = min(len(frame), 256)
        for place in range(length):
            self.bytes[row * RAW_BYTES + place] = frame[place]
        self.raw_lengths[row] = length
        self.rows[packet].raw = row

    def drain(self) -> list[tuple[int, int]]:
        """Return (packet, reason) of every dropped packet; the caller frees them."""
        found = []
        packet = self.next_dropped()
        while packet != NIL:
            found.append((packet, self.rows[packet].reason))
            packet = self.next_dropped()
        return found
