"""The token bucket: times worked by hand from the formulas of psched_ratecfg and tbf_dequeue()."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc.engine.constants import CN, DROP, NEVER, OK
from tcc.engine.fifo import Fifo
from tcc.engine.random import Random
from tcc.engine.sfq import Sfq
from tcc.engine.tbf import Pace, TokenBucket
from tests.engine.bench import MS, Bench, flow

MBYTE = 1_000_000  # bytes/s: a byte takes 1000 ns


def bucket(burst=3000, rate=MBYTE, limit=100_000, **more):
    return Bench(lambda pool: TokenBucket(pool, Fifo(pool, limit), Pace(rate), burst, **more))


def test_time_of_a_packet():
    # 500 Mbit/s: 10^9 / 62,500,000 = 16 ns a byte exactly; 1512 * 16 = 24,192.
    assert Pace(62_500_000).time(1512) == 24_192
    assert Pace(MBYTE).time(1514) == 1_514_000
    # 3 bytes/s: 10^9 / 3 ns a byte, in 32 bits of mantissa: rounded down once.
    assert Pace(3).time(3) in (999_999_999, 1_000_000_000)


def test_framing():
    assert Pace(MBYTE, overhead=38, mpu=84).time(46) == 84_000
    assert Pace(MBYTE, overhead=38, mpu=84).time(47) == 85_000
    # 1514 + 10 = 1524 bytes fill 31.75 cells: 32 of 53 bytes on the wire.
    assert Pace(MBYTE, overhead=10, atm=True).time(1514) == 32 * 53_000
    # and back: 1696 bytes are 32 cells of 48 bytes, less the overhead.
    assert Pace(MBYTE, overhead=10, atm=True).bytes_in(1_696_000) == 1526


def test_a_burst_then_the_rate():
    bench = bucket(burst=3000)
    for n in range(5):
        bench.put(n, 1500)
    # 3000 bytes at once; then 1500 bytes take 1.5 ms each.
    assert bench.drive() == [
        (0, 0), (0, 1), (1_500_000, 2), (3_000_000, 3), (4_500_000, 4),
    ]  # fmt: skip


def test_tokens_fill_up_to_the_burst_and_no_further():
    bench = bucket(burst=3000)
    bench.put(0, 3000)
    assert bench.drive() == [(0, 0)]
    for n in range(1, 5):
        bench.put(n, 1500, at=100 * MS)
    assert bench.drive(100 * MS) == [
        (100 * MS, 1), (100 * MS, 2), (101_500_000, 3), (103_000_000, 4),
    ]  # fmt: skip


def test_half_a_bucket():
    bench = bucket(burst=3000)
    bench.put(0, 3000)
    assert bench.drive() == [(0, 0)]
    bench.put(1, 3000, at=1 * MS)  # 1000 bytes of tokens are there, 2000 are missing
    assert bench.drive(1 * MS) == [(3 * MS, 1)]


def test_the_peak_rate_spaces_the_burst():
    # 10,000 bytes of burst at 1 MB/s, peak 2 MB/s with room for one packet of 1500 bytes.
    bench = bucket(burst=10_000, peak=Pace(2 * MBYTE), peak_burst=1500)
    for n in range(16):
        bench.put(n, 1500)
    times = [at for at, _ in bench.drive()]
    # every 0.75 ms by the peak; tokens fall by 1500 - 750 = 750 a packet after the first, from
    # 8500, so that the 12th (500 of 1500 left + 750) is the first to wait for the rate.
    assert times[:12] == [n * 750_000 for n in range(12)]
    # from then on the rate: after the 13th packet (19,500 bytes) 19,500 - 10,000 took 9.5 ms
    assert times[12:] == [9_500_000, 11_000_000, 12_500_000, 14_000_000]


def test_what_is_longer_than_the_burst_can_never_leave():
    bench = bucket(burst=1000)
    assert bench.put(1, 1001) == (DROP, [(1, "too_long")])
    assert bench.put(2, 1000) == (OK, [])


def test_the_shorter_of_burst_and_peak_burst_is_the_longest_packet():
    bench = bucket(burst=3000, peak=Pace(2 * MBYTE), peak_burst=1200)
    assert bench.qdisc.max_size == 1200


def test_a_buffer_in_ticks_of_64_ns():
    bench = Bench(lambda pool: TokenBucket(pool, Fifo(pool, 9000), Pace(MBYTE), buffer=46_875))
    assert bench.qdisc.depth == 3_000_000  # 46,875 * 64 ns
    assert bench.qdisc.max_size == 3000


def test_a_super_packet_is_cut_when_it_is_longer_than_the_burst():
    bench = bucket(burst=2000)
    bench.put(7, 54 * 3 + 2500, gso_size=1000, gso_segs=3, header_length=54, payload=2500)
    assert bench.drops == [(7, "gso_split")]
    assert bench.get(100 * MS)["length"] == 1054
    assert bench.get(100 * MS) is None  # 1054 + 1054 bytes are more than the 2000 of the burst
    assert bench.qdisc.overlimits == 1
    assert [bench.get(200 * MS)["length"] for _ in range(2)] == [1054, 554]
    assert bench.qdisc.qlen == 0


def test_a_super_packet_within_the_burst_stays_whole():
    bench = bucket(burst=3000)
    bench.put(7, 54 * 2 + 2000, gso_size=1000, gso_segs=2, header_length=54)
    assert bench.get()["length"] == 2108


def test_what_the_inner_qdisc_answers_is_passed_on():
    def make(pool):
        inner = Sfq(pool, Random(1), limit=2)
        return TokenBucket(pool, inner, Pace(MBYTE), 3000)

    bench = Bench(make)
    assert [bench.put(n, flow_hash=flow(1))[0] for n in range(2)] == [OK, OK]
    assert bench.put(2, flow_hash=flow(1)) == (CN, [(2, "overlimit")])
    assert bench.qdisc.statistics()["drops"] == bench.qdisc.inner.statistics()["drops"] == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"peak": Pace(MBYTE), "peak_burst": 1500}, "above its rate"),
        ({"burst": 0}, "at least one byte"),
    ],
)
def test_what_the_kernel_refuses(given, why):
    with pytest.raises(ValueError, match=why):
        bucket(**given)


def test_a_refused_change_changes_nothing():
    bench = bucket(burst=3000)
    with pytest.raises(ValueError, match="above its rate"):
        bench.qdisc.change(Pace(MBYTE), 5000, peak=Pace(10), peak_burst=1)
    assert (bench.qdisc.depth, bench.qdisc.max_size) == (3_000_000, 3000)


def test_reset_fills_the_bucket():
    bench = bucket(burst=3000)
    bench.put(0, 3000)
    assert bench.drive() == [(0, 0)]
    bench.put(1, 3000, at=1)
    bench.qdisc.reset()
    assert bench.settle() == [(1, "queue_purge")]
    bench.put(2, 3000, at=2)
    assert bench.drive(2) == [(2, 2)]


@given(
    rate=st.integers(1000, 10**9),
    burst=st.integers(1514, 60_000),
    arrivals=st.lists(st.tuples(st.integers(0, 10**8), st.integers(60, 1514)), max_size=60),
)
def test_no_window_carries_more_than_the_burst_and_the_rate(rate, burst, arrivals):
    bench = bucket(burst=burst, rate=rate, limit=10**9)
    sent, now, wakeup = [], 0, NEVER
    for number, (gap, length) in enumerate(arrivals):
        now += gap
        while wakeup not in (NEVER, None) and wakeup <= now:
            wakeup = drain(bench, wakeup, sent)
        bench.put(number, length, at=now)
        wakeup = drain(bench, now, sent)
    while wakeup != NEVER:
        wakeup = drain(bench, wakeup, sent)
    assert [number for _, number, _ in sent] == list(range(len(arrivals)))
    for first, (start, _, _) in enumerate(sent):
        total = 0
        for end, _, length in sent[first:]:
            total += length
            # a packet's time is rounded down, by less than 1 ns each
            assert (total - burst) * 10**9 <= (end - start + len(sent)) * rate


def drain(bench, now, sent):
    """Take what may leave; return when to ask again."""
    while (row := bench.get(now)) is not None:
        sent.append((now, row["id"], row["length"]))
    return bench.qdisc.take_wakeup()
