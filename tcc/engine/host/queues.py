"""What a device with a qdisc for each transmit queue shows as its root: the sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcc.engine.queue_disc import QueueDisc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcc.engine.packet import PacketPool


class Queues(QueueDisc):
    """The root of a device whose queues have qdiscs of their own (mq, cake_mq).

    Args:
        pool: where the packets are.
        children: the qdisc of each transmit queue.
    """

    def __init__(self, pool: PacketPool, children: Sequence[QueueDisc]) -> None:
        QueueDisc.__init__(self, pool)
        self.children = list(children)

    def statistics(self) -> dict[str, int]:
        """Return the sums of what `tc -s` shows of the children."""
        each = [child.statistics() for child in self.children]
        return {name: sum(one[name] for one in each) for name in QueueDisc.statistics(self)}

    def drops_by_reason(self) -> dict[str, int]:
        """Return how many packets the children dropped for each reason that occurred."""
        found: dict[str, int] = {}
        for child in self.children:
            for reason, count in child.drops_by_reason().items():
                found[reason] = found.get(reason, 0) + count
        return found

    def marked(self) -> int:
        """Return how many packets the children marked."""
        return sum(int(child.marks) for child in self.children)
