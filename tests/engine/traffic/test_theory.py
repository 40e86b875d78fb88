"""Traffic against theory: response functions, shares, round trips."""

from __future__ import annotations

import math
import random

import pytest

from tcc.engine.simulation import Path, Simulation
from tests.engine.networks import MS, SECOND, cake, jain, shaped, unshaped

pytestmark = pytest.mark.slow


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
    """Return the mean window of Cubic's curve at random losses, without integers or TCP.

    RFC 9438, sections 4.2 (the curve), 4.3 (Reno's estimate), 4.6 (0.7) and 4.7 (fast
    convergence).  Linux's estimate grows by 8/15 a round trip for good; 4.3 lets it grow by 1 from
    the last greatest window on.
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
            reno += 8 / 15 / 4
            window = max(top + 0.4 * (now - turn) ** 3, reno)
            count += window / 4
            now += rtt / 4
        if number >= 200:
            time, sent = time + now, sent + count
    return sent / time * rtt


@pytest.mark.parametrize(("every", "rtt"), [(1000, 100), (3000, 200), (10000, 100)])
def test_cubic_answers_random_losses_as_the_curve_itself_does(every, rtt):
    runs = [window_of("cubic", 0, rtt * MS, 1 / every, 400, seed) for seed in (1, 2, 3)]
    assert sum(runs) / 3 == pytest.approx(ideal_cubic(1 / every, rtt / 1000), rel=0.1)


class Integers:
    """Linux's Cubic at losses a fixed number of segments apart: its integers, and no network.

    bictcp_update() of net/ipv4/tcp_cubic.c and tcp_cong_avoid_ai() of tcp_cong.c, acknowledgement
    by acknowledgement, evenly over the round trip (ms).
    """

    def __init__(self, rtt: int, window: int) -> None:
        self.rtt = rtt
        self.window, self.greatest, self.now = window, 0, 0.0
        self.last = (-1, -100)

    def lose(self) -> None:
        """Reduce the window: a new epoch begins with the next acknowledgement."""
        falling = self.window < self.greatest
        self.greatest = self.window * 1741 // 2048 if falling else self.window
        self.window = self.window * 717 // 1024
        self.epoch = self.counted = self.acked = 0
        self.per, self.reno = 100 * self.window, self.window

    def update(self, jiffies: int) -> None:
        """Set how many acknowledgements make the window grow by one."""
        self.acked += 1
        if self.last[0] == self.window and jiffies - self.last[1] <= 31:
            return
        if not self.epoch or jiffies != self.last[1]:
            if not self.epoch:
                self.epoch, self.acked, self.reno = jiffies, 1, self.window
                up = max(self.greatest - self.window, 0)
                self.turn = int((up * 2**40 / 410) ** (1 / 3))
                self.origin = self.window + up
            away = (jiffies - self.epoch + self.rtt) * 1024 // 1000 - self.turn
            change = 410 * abs(away) ** 3 >> 40
            target = self.origin + (change if away > 0 else -change)
            more = target - self.window
            self.per = self.window // more if more > 0 else 100 * self.window
            self.last = (self.window, jiffies)
        share = self.window * 15 >> 3
        while self.acked > share:
            self.acked -= share
            self.reno += 1
        if self.reno > self.window:
            self.per = min(self.per, self.window // (self.reno - self.window))
        self.per = max(self.per, 2)

    def acknowledge(self) -> None:
        """Take one acknowledgement."""
        self.now += self.rtt / self.window
        self.update(int(self.now))
        if self.counted >= self.per:
            self.counted = 0
            self.window += 1
        self.counted += 1
        self.window += self.counted // self.per
        self.counted %= self.per

    def mean(self, every: int, losses: int = 200) -> float:
        """Return the mean window over the second half of so many losses."""
        began = 0.0
        for number in range(losses):
            if number == losses // 2:
                began = self.now
            self.lose()
            for _ in range(every):
                self.acknowledge()
        return every * (losses - losses // 2) / (self.now - began) * self.rtt


@pytest.mark.parametrize(
    ("every", "rtt", "formula"), [(1000, 100, 33), (3000, 200, 128), (10000, 100, 187)]
)
def test_cubic_at_fixed_losses_is_where_its_integers_may_settle(every, rtt, formula):
    # RFC 9438 5.1: W = (C (3 + b) / (4 (1 - b)))^(1/4) (RTT / p)^(3/4), C = 0.4, b = 0.7
    said = (0.4 * 3.7 / 1.2) ** 0.25 * (rtt / 1000 * every) ** 0.75
    assert round(said) == formula
    # The curve is flat near its top, so whole segments settle in more than one place.
    places = [Integers(rtt, window).mean(every) for window in (30, 50, 100, 200, 300, 400, 600)]
    assert max(places) > 1.2 * min(places)
    window = window_of("cubic", every, rtt * MS, seconds=400)
    assert 0.95 * min(places) < window < 1.05 * max(places)


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
