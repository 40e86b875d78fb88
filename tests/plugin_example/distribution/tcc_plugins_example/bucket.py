"""The engine's side of `leaky`: a qdisc in plain Python, which knows nothing of compiling.

`tcc.engine.foreign` describes what such a qdisc has.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from tcc.engine.constants import DROP, OK, OVERLIMIT

if TYPE_CHECKING:
    from tcc.engine.foreign import ForeignPacket

BITS, NS_PER_S = 8, 1_000_000_000


class Bucket:
    """Packets leave one by one, each not before the one before it is through.

    Args:
        rate: bit/s.
        limit: packets that wait at most.
    """

    def __init__(self, rate: int, limit: int) -> None:
        """Start empty, ready to send."""
        self.rate = rate
        self.limit = limit
        self.queue: deque[ForeignPacket] = deque()
        self.free_at = 0
        self.dropped: list[tuple[ForeignPacket, int]] = []
        self.wakeup: int | None = None

    def enqueue(self, packet: ForeignPacket, now: int) -> int:
        """Take a packet if there is room."""
        if len(self.queue) >= self.limit:
            self.dropped.append((packet, OVERLIMIT))
            return DROP
        self.queue.append(packet)
        return OK

    def dequeue(self, now: int) -> ForeignPacket | None:
        """Give the oldest packet if the one before it is through."""
        if not self.queue:
            return None
        if now < self.free_at:
            self.wakeup = self.free_at
            return None
        packet = self.queue.popleft()
        self.free_at = now + packet.length * BITS * NS_PER_S // self.rate
        return packet

    def peek(self, now: int) -> ForeignPacket | None:
        """Show the oldest packet, unless it has to wait."""
        return self.queue[0] if self.queue and now >= self.free_at else None

    def reset(self) -> None:
        """Forget every packet."""
        self.queue.clear()
