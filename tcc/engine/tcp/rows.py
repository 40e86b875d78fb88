"""The rows of TCP's tables, for the interpreter.

Compiled, each is the C struct of the same name in `rows.pxd`.
"""

from __future__ import annotations


class Segment:
    """One segment in flight, as the sender remembers it."""

    __slots__ = (
        "app_limited", "delivered", "delivered_time", "earlier", "first_sent", "flags", "later",
        "sent",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.sent: int = 0  # us, of its last transmission
        self.first_sent: int = 0  # us: when the flight it belongs to began to be sent
        self.delivered_time: int = 0  # us: the last delivery known when it was sent; 0: used up
        self.delivered: int = 0  # segments delivered when it was sent
        self.earlier: int = 0  # link in the order of transmission, or NIL
        self.later: int = 0
        self.flags: int = 0  # SACKED, LOST, ...
        self.app_limited: int = 0


class Blocks:
    """The SACK option of one acknowledgement."""

    __slots__ = ("count", "duplicate", "end", "next", "start")

    def __init__(self) -> None:
        """Start empty."""
        self.next: int = 0  # link of the free list
        self.count: int = 0
        self.duplicate: int = 0  # the first block reports a duplicate (RFC 2883)
        self.start: list[int] = [0] * 4  # segment
        self.end: list[int] = [0] * 4  # the segment after the block


class Best:
    """The three candidates of a windowed minimum or maximum, best first."""

    __slots__ = ("time", "value")

    def __init__(self) -> None:
        """Start with nothing seen."""
        self.time: list[int] = [0] * 3
        self.value: list[int] = [0] * 3


Octets = bytearray  # in C a pointer to unsigned char
BlocksRow = Blocks  # in C a pointer to one
BestRow = Best
