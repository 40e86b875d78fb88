"""Traffic against theory: response functions, shares, round trips."""

from __future__ import annotations

import math

import pytest

from tcc.engine.simulation import Path, Simulation
from tests.engine.networks import MS, SECOND, cake, jain, shaped, unshaped


def window_of(cc: str, every: int, rtt: int, loss: float = 0.0) -> float:
    """Return the mean window of one flow that loses each so-manieth segment, or at random."""
    network = Simulation(seed=1)
    network.greatest_buffer = 600 * 1448 * 256 // 155  # a window of 600 segments: no queue
    path = Path(rtt, upstream=0, device=10**10, lose_every=every, loss=round(loss * 2**32))
    network.link(cake(network, 0), unshaped(network), path)
    network.add_tcp("up", cc)
    result = network.run(120 * SECOND, warmup=30 * SECOND)
    return result.flows[0].goodput / 8 / 1448 * rtt / SECOND


@pytest.mark.parametrize(("every", "rtt"), [(200, 50 * MS), (1000, 50 * MS), (5000, 50 * MS)])
def test_reno_answers_losses_as_its_response_function_says(every, rtt):
    # Mathis et al. 1997: W = sqrt(3 / 2p)
    assert window_of("reno", every, rtt) == pytest.approx(math.sqrt(1.5 * every), rel=0.1)


def test_cubic_answers_losses_as_rfc_9438_says():
    # section 5.1: W = (C (3 + b) / (4 (1 - b)))^(1/4) (RTT / p)^(3/4), C = 0.4, b = 0.7
    expected = (0.4 * 3.7 / 1.2) ** 0.25 * (0.2 * 3000) ** 0.75
    assert window_of("cubic", 3000, 200 * MS) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("loss", [1 / 200, 1 / 1000])
def test_reno_answers_random_losses_the_same_way(loss):
    assert window_of("reno", 0, 50 * MS, loss) == pytest.approx(math.sqrt(1.5 / loss), rel=0.1)


def test_equal_flows_share_equally_under_cake():
    network = shaped(50_000_000, 20 * MS)
    for _ in range(8):
        network.add_tcp("up")
    result = network.run(10 * SECOND, warmup=2 * SECOND)
    shares = [one.goodput for one in result.flows]
    assert jain(shares) > 0.999
    assert sum(shares) == pytest.approx(50_000_000 * 1448 / 1514, rel=0.005)


def test_reno_with_a_longer_round_trip_gets_less_in_a_fifo_but_not_under_cake():
    def ratio(limit: int) -> float:
        network = Simulation(seed=2)
        egress = unshaped(network) if limit else cake(network, 5_000_000)
        beyond = 5_000_000 if limit else 0
        path = Path(10 * MS, upstream=0, beyond=beyond, beyond_limit=limit)
        network.link(egress, unshaped(network), path)
        for rtt in (10 * MS, 40 * MS):
            network.add_tcp("up", "reno", rtt=rtt)
        short, long = network.run(60 * SECOND, warmup=20 * SECOND).flows
        return short.goodput / long.goodput

    # theory: at least the ratio of the round trips, here 26 to 56 ms with the queue
    assert ratio(limit=10_000) > 56 / 26
    assert ratio(limit=0) == pytest.approx(1, abs=0.15)


def test_bbr_fills_the_pipe_in_a_few_round_trips_and_keeps_the_queue_short():
    network = Simulation(seed=1)
    path = Path(40 * MS, upstream=0, beyond=50_000_000, beyond_limit=2_000_000)
    network.link(unshaped(network), unshaped(network), path)
    network.add_tcp("up", "bbr")
    ping = network.add_ping(20 * MS)
    # start-up doubles each round trip: 10 segments to 173 (50 Mbit/s x 40 ms) takes 5
    result = network.run(5 * SECOND, warmup=1 * SECOND)
    assert result.flows[0].goodput > 0.9 * 50_000_000 * 1448 / 1538
    assert ping.sender.round_trip.quantile(1, 2) < 50 * MS


def test_bbr_flows_share_a_fifo_equally_enough():
    network = Simulation(seed=3)
    path = Path(20 * MS, upstream=0, beyond=40_000_000, beyond_limit=400_000)
    network.link(unshaped(network), unshaped(network), path)
    for number in range(4):
        network.add_tcp("up", "bbr", start=number * 300 * MS)
    result = network.run(40 * SECOND, warmup=20 * SECOND)
    assert jain([one.goodput for one in result.flows]) > 0.9
