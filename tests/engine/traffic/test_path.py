"""What lies beyond the router: loss, jitter, a second bottleneck; and floods."""

from __future__ import annotations

import math

import pytest

from tcc.engine.fifo import Fifo
from tcc.engine.simulation import Path, Simulation
from tcc.engine.workloads import add_workload
from tests.engine.networks import MS, SECOND, cake, unshaped


def through(path: Path) -> Simulation:
    """Return a network without shapers."""
    network = Simulation()
    network.link(unshaped(network), unshaped(network), path)
    return network


def test_udp_of_constant_rate_arrives_at_that_rate():
    network = through(Path(20 * MS))
    network.add_udp("up", 3_000_000, payload=500)
    one = network.run(10 * SECOND, warmup=SECOND).flows[0]
    assert one.offered == 10 * 3_000_000 // (500 * 8)
    assert one.goodput == 3_000_000
    assert one.lost == 0


def test_random_losses_are_as_many_as_asked():
    network = through(Path(20 * MS, loss=2**32 // 50))
    network.add_udp("up", 12_000_000, payload=1000)
    one = network.run(20 * SECOND).flows[0]
    expected = one.offered / 50
    # four standard deviations of a binomial distribution
    assert abs(one.lost - expected) < 4 * math.sqrt(expected * 0.98)


def test_jitter_is_drawn_evenly_on_top_of_the_delay():
    network = through(Path(20 * MS, jitter=8 * MS))
    network.add_ping(10 * MS, keep=2000)
    pings = network.run(20 * SECOND).flows[0].samples
    # each way 10 to 18 ms: the sum of two even draws has mean 28 ms, variance 2 x 64 / 12
    mean = sum(pings) / len(pings) / MS
    variance = sum((one / MS - mean) ** 2 for one in pings) / len(pings)
    assert mean == pytest.approx(28, abs=0.4)
    assert variance == pytest.approx(128 / 12, rel=0.1)
    assert min(pings) >= 20 * MS
    assert max(pings) <= 36 * MS


def test_a_second_bottleneck_takes_the_queue_from_the_shaper():
    def run(shaper: int) -> tuple[int, int]:
        network = Simulation()
        path = Path(20 * MS, upstream=0, beyond=10_000_000, beyond_limit=125_000)
        network.link(cake(network, shaper), unshaped(network), path)
        network.add_tcp("up")
        ping = network.add_ping(20 * MS)
        goodput = network.run(20 * SECOND, warmup=5 * SECOND).flows[0].goodput
        return goodput, ping.sender.round_trip.quantile(1, 2) - 20 * MS

    goodput, queue = run(20_000_000)
    assert goodput == pytest.approx(10_000_000 * 1448 / 1538, rel=0.01)  # Ethernet adds 24
    assert 50 * MS < queue < 100 * MS  # Cubic keeps a FIFO of 100 ms over half full
    goodput, queue = run(9_000_000)
    assert goodput == pytest.approx(9_000_000 * 1448 / 1514, rel=0.02)
    assert queue < 3 * MS


def test_a_flood_fills_its_link_and_nobody_answers():
    network = Simulation()
    network.link(Fifo(network.pool, 10_000), unshaped(network), Path(10 * MS, device=10_000_000))
    made = add_workload(network, "udp_flood", flows=2, stop=SECOND // 10)
    assert [one.direction for one in made] == ["up", "up"]
    result = network.run(SECOND)
    # frames of 64 bytes with their checksum, 18 of them payload, at 1 Gbit/s of payload each
    assert sum(one.offered for one in result.flows) == 2 * -(-100_000_000 // (18 * 8))
    # Ethernet needs 20 more for each; the queue holds 10000 / 60 at the end
    arrived = sum(one.payload for one in result.flows) // 18
    assert arrived == pytest.approx(1_000_000 / (84 * 8) + 10_000 / 60, abs=2)
    assert result.ingress.statistics["packets"] == 0
