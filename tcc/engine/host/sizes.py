# cython: cdivision=True
"""How long the super-packets of a TCP are made, where a profile says so.

TCP makes super-packets of a millisecond at its pacing rate, at most as long as the device takes
(`gso_max_size`).  A kernel that paced otherwise than `tcc.engine.tcp` made others; what a profile
knows of their lengths is laid upon the engine's TCP as that greatest length.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.random import Random
from tcc.engine.sink import Sink
from tcc.engine.tcp.socket import Socket

if not cython.compiled:
    from tcc.engine.tcp.constants import SEGMENT


class Sizes(Sink):
    """Stands between a TCP and its interface, and draws how long its next super-packet may be.

    Args:
        tcp: the sender, which makes no longer ones by its round trip (kernels before 5.18).
        chance: decides about lengths.
        least: segments of the shortest.
        most: segments of the longest; lengths between are drawn evenly.
    """

    def __init__(self, tcp: Socket, chance: Random, least: int, most: int) -> None:
        Sink.__init__(self, tcp.schedule)
        if not 0 < least <= most:
            raise ValueError("a super-packet has segments, the least first")
        self.tcp = tcp
        self.following = tcp.port
        self.chance = chance
        self.least = least
        self.most = most
        tcp.port = self
        tcp.sizes_by_rtt = False
        tcp.gso_bytes = most * SEGMENT

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Pass a packet on."""
        segments: cython.int = self.least
        if self.least < self.most:
            segments += self.chance.below(self.most - self.least + 1)
        self.tcp.gso_bytes = segments * SEGMENT
        self.following.take(packet, now)
