"""Traffic against theory: response functions, shares, round trips."""

from __future__ import annotations

import math
import random

import pytest

from tcc.engine.simulation import Path, Simulation
from tests.engine.networks import MS, SECOND, cake, jain, shaped, unshaped


def window_of(
    cc: str, every: int, rtt: int, loss: float = 0.0, seconds: int = 120, seed: int = 1
) -> float:
    """Return the mean window of one flow that loses each so-manieth segment, or at random."""
    network = Simulation(seed=seed)
    segments = 600 if seconds == 120 else 1500  # the greatest window: no queue
    network.greatest_buffer = segments * 1448 * 256 // 155
    path = Path(rtt, upstream=0, device=10**10, lose_every=every, loss=round(loss * 2**32))
    network.link(cake(network, 0), unshaped(network), path)
    network.add_tcp("up", cc)
    result = network.run(seconds * SECOND, warmup=30 * SECOND)
    return result.flows[0].goodput / 8 / 1448 * rtt / SECOND


@pytest.mark.parametrize(("every", "rtt"), [(200, 50 * MS), (1000, 50 * MS), (5000, 50 * MS)])
def test_reno_answers_losses_as_its_response_function_says(every, rtt):
    # Mathis et al. 1997: W = sqrt(3 / 2p)
    assert window_of("reno", every, rtt) == pytest.approx(math.sqrt(1.5 * every), rel=0.1)


def test_cubic_answers_losses_as_rfc_9438_says():
    # section 5.1: W = (C (3 + b) / (4 (1 - b)))^(1/4) (RTT / p)^(3/4), C = 0.4, b = 0.7
    expected = (0.4 * 3.7 / 1.2) ** 0.25 * (0.2 * 3000) ** 0.75
    assert window_of("cubic", 3000, 200 * MS) == pytest.approx(expected, rel=0.1)


def random_constant() -> float:
    """Return W sqrt(p) of a window that grows by one a round trip, halved by random losses.

    Counted in segments n, d(W^2)/dn = 2, and losses are exponential of mean 1/p apart.  Before a
    loss W^2 is 2/p times the sum S of E_k / 4^k, E_k exponential of mean 1; so it is at any
    segment, and the mean in time is 1 / mean(1/W), with mean(S^-1/2) the integral over u of
    2 / sqrt(pi) times the product of 1 / (1 + u^2 / 4^k).
    """
    step = 1e-3
    total = 0.0
    for number in range(200_000):
        squared = ((number + 0.5) * step) ** 2
        total += step / math.prod(1 + squared / 4**power for power in range(24))
    return math.sqrt(2) / (2 / math.sqrt(math.pi) * total)


def test_random_losses_have_the_constant_of_mathis():
    assert round(random_constant(), 2) == 1.31  # Mathis et al. 1997, random losses, no delays


@pytest.mark.parametrize("loss", [1 / 200, 1 / 1000, 1 / 5000])
def test_reno_answers_random_losses_as_theirs_says(loss):
    expected = random_constant() / math.sqrt(loss)
    assert window_of("reno", 0, 50 * MS, loss, 400) == pytest.approx(expected, rel=0.1)


def ideal_cubic(loss: float, rtt: float, losses: int = 2000) -> float:
    """Return the mean window of RFC 9438's curve at random losses, without integers or TCP.

    Sections 4.2 (the curve), 4.3 (Reno's estimate), 4.6 (0.7) and 4.7 (fast convergence).
    """
    numbers = random.Random(1)
    window, last, time, sent = 50.0, 0.0, 0.0, 0.0
    for number in range(losses + 200):
        gap = numbers.expovariate(loss)
        top = window * 0.85 if window < last else window
        last, low = window, window * 0.7
        turn = (max(top - low, 0) / 0.4) ** (1 / 3)
        reno, now, count = low, 0.0, 0.0
        while count < gap:
            reno += (3 * 0.3 / 1.7 if reno < top else 1) / 4
            window = max(top + 0.4 * (now - turn) ** 3, reno)
            count += window / 4
            now += rtt / 4
        if number >= 200:
            time, sent = time + now, sent + count
    return sent / time * rtt


@pytest.mark.parametrize(("every", "rtt"), [(3000, 200), (10000, 100)])
def test_cubic_answers_random_losses_as_the_curve_itself_does(every, rtt):
    runs = [window_of("cubic", 0, rtt * MS, 1 / every, 400, seed) for seed in (1, 2, 3)]
    assert sum(runs) / 3 == pytest.approx(ideal_cubic(1 / every, rtt / 1000), rel=0.1)


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
