"""Networks that the tests of traffic share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.fifo import Fifo
from tcc.engine.simulation import Path, Simulation

if TYPE_CHECKING:
    from tcc.engine.queue_disc import QueueDisc

MS = 1_000_000
SECOND = 1_000_000_000
BESTEFFORT, DIFFSERV4 = 3, 1


def unshaped(simulation: Simulation) -> QueueDisc:
    """Return a queue that never drops."""
    return Fifo(simulation.pool, 1 << 40)


def cake(simulation: Simulation, rate: int, tins: int = BESTEFFORT, **options: int) -> QueueDisc:
    """Return CAKE at a rate in bit/s."""
    return Cake(simulation.pool, simulation.random(8), CakeConfig(rate // 8, tins, **options))


def shaped(
    rate: int,
    rtt: int,
    seed: int = 1,
    tins: int = BESTEFFORT,
    *,
    nat: bool = False,
    local: bool = False,
    **options: int,
) -> Simulation:
    """Return a network with CAKE towards the servers and nothing towards the clients."""
    simulation = Simulation(seed, nat=nat, local=local)
    simulation.link(
        cake(simulation, rate, tins, **options), unshaped(simulation), Path(rtt, upstream=0)
    )
    return simulation


def lossy(rate: int, rtt: int, loss: float, seed: int = 1) -> Simulation:
    """Return a network whose only losses are random, in the direction of the data."""
    simulation = Simulation(seed)
    path = Path(rtt, upstream=0, loss=round(loss * 2**32), device=rate)
    simulation.link(unshaped(simulation), unshaped(simulation), path)
    return simulation


def jain(shares: list[int]) -> float:
    """Return Jain's index of fairness."""
    return sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares))
