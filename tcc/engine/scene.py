"""What a qdisc's model needs to know of the simulation it is made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tcc.engine.packet import PacketPool
    from tcc.engine.random import Random

KERNEL = "a3729e0df005-or-later"


@dataclass(frozen=True, slots=True)
class Scene:
    """The engine's side when a plugin makes a model.

    Attributes:
        pool: where the packets are.
        chance: random numbers for this qdisc alone.
        max_frame: longest packet of the device, link-layer header included, in bytes.
        handle: of the qdisc.
        queues: transmit queues of the device.
        split_above: split only super-packets longer than this, in bytes; no kernel has it.
        mq_kernel: which kernel's cake_mq (`tcc.engine.cake.config.MQ_KERNELS`).
    """

    pool: PacketPool
    chance: Random
    max_frame: int = 1514
    handle: int = 0x10000
    queues: int = 1
    split_above: int = 0
    mq_kernel: str = KERNEL
