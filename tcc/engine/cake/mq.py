"""`cake_mq`: one CAKE per transmit queue, with one configuration and a shared rate.

Source: the mq part of net/sched/sch_cake.c and net/sched/sch_mq.c of Linux 7.3; CAKE
specification section 7.  The children are what the device's queues dequeue from; which queue a
packet takes is the device's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcc.engine.cake.qdisc import Cake
from tcc.engine.cake.siblings import Siblings

if TYPE_CHECKING:
    from tcc.engine.cake.config import CakeConfig
    from tcc.engine.packet import PacketPool
    from tcc.engine.random import Random


class CakeMq:
    """The root that holds the children.

    Args:
        pool: where its packets are.
        chance: dithers quanta and rolls BLUE's dice, for all children.
        config: of every child.
        queues: transmit queues of the device.
        mtu: of the device, link-layer header included.
        handle: of the children; the kernel's is 0, so that a packet's plain priority chooses a tin.
        segment_truesize: memory that a segment of a split super-packet takes beside its bytes.

    Raises:
        ValueError: fewer than two queues, or autorate; the kernel refuses both.
    """

    def __init__(
        self,
        pool: PacketPool,
        chance: Random,
        config: CakeConfig,
        queues: int,
        mtu: int = 1514,
        handle: int = 0,
        segment_truesize: int = 768,
    ) -> None:
        if queues < 2:
            raise ValueError("cake_mq needs a device with more than one transmit queue")
        if config.autorate:
            raise ValueError("cake_mq cannot use autorate-ingress")
        siblings = Siblings()
        self.children = [
            Cake(pool, chance, config, handle, mtu, siblings, segment_truesize)
            for _ in range(queues)
        ]
        for child in self.children:
            siblings.add(child)

    @property
    def config(self) -> CakeConfig:
        """The configuration that all children share."""
        return self.children[0].config

    def change(self, config: CakeConfig, reset_lengths: bool = False) -> None:
        """Reconfigure every child; each has the full rate again until it scans.

        Raises:
            ValueError: autorate.
        """
        for child in self.children:
            child.change(config, reset_lengths)

    def reset(self) -> None:
        """Purge every packet of every child."""
        for child in self.children:
            child.reset()

    def statistics(self) -> dict[str, int]:
        """Return the sums that `tc -s qdisc` shows of the root; it has no others."""
        each = [child.statistics() for child in self.children]
        return {name: sum(child[name] for child in each) for name in each[0]}
