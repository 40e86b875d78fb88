# cython: cdivision=True
"""TCP whose pace a profile bounds: how long its super-packets are and how many wait in the host.

TCP derives both from its pacing rate: a super-packet is a millisecond of it, and the host may hold
two of them, or a millisecond.  What a profile knows of the lengths is therefore laid upon the
pacing rate, as SO_MAX_PACING_RATE does it.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.random import Random
from tcc.engine.tcp.sender import Sender

if not cython.compiled:
    from tcc.engine.tcp.constants import SEGMENT


class PacedSender(Sender):
    """A TCP sender whose super-packets can be bounded; its arguments are those of `Sender`."""

    def __init__(self, *arguments: Any, **more: Any) -> None:  # noqa: ANN401
        Sender.__init__(self, *arguments, **more)
        self.least = self.most = 0

    def bound(self, chance: Random, least: int, most: int) -> None:
        """Let its super-packets be as long as is drawn, and not longer by its round trip.

        Args:
            chance: decides about lengths.
            least: segments of the shortest.
            most: segments of the longest; lengths between are drawn evenly.

        Raises:
            ValueError: the shortest is none, or longer than the longest.
        """
        if not 0 < least <= most:
            raise ValueError("a super-packet has segments, the least first")
        self.chance = chance
        self.least = least
        self.most = most
        self.sizes_by_rtt = False

    def pace(self) -> cython.void:
        """Set the pacing rate: TCP's own, at most a super-packet of the length drawn each ms."""
        segments: cython.longlong = self.least
        Sender.pace(self)
        if self.most == 0:
            return
        if self.least < self.most:
            segments += self.chance.below(self.most - self.least + 1)
        segments = segments * SEGMENT << 10
        if self.pacing_rate > segments:
            self.pacing_rate = segments
