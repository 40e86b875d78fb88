"""Stochastic fairness queueing: orders and victims worked by hand from sch_sfq.c's rules."""

from __future__ import annotations

import pytest

from tcc.engine.constants import CN, DROP, OK
from tcc.engine.random import Random
from tcc.engine.sfq import Sfq
from tests.engine.bench import Bench, flow


def sfq(**given):
    return Bench(lambda pool: Sfq(pool, Random(1), **given))


def fill(bench, number, ids, length=1000):
    return [bench.put(id, length, flow_hash=flow(number)) for id in ids]


def test_flows_take_turns():
    bench = sfq(quantum=1000)
    fill(bench, 1, (10, 11, 12))
    fill(bench, 2, (20, 21))
    fill(bench, 3, (30,))
    assert bench.ids() == [10, 20, 30, 11, 21, 12]


def test_short_packets_share_a_quantum():
    # Quantum 1000: 400 + 400 + 400 leave an allotment of -200, then 800: two more.
    bench = sfq(quantum=1000)
    fill(bench, 1, range(10, 16), length=400)
    fill(bench, 2, range(20, 23))
    assert bench.ids() == [10, 11, 12, 20, 13, 14, 21, 15, 22]


def test_a_quantum_is_at_least_256_bytes():
    assert sfq(quantum=1).qdisc.quantum == 256


def test_a_flow_that_comes_back_waits_at_the_end():
    bench = sfq(quantum=1000)
    fill(bench, 1, (10,))
    fill(bench, 2, (20, 21))
    assert bench.get()["id"] == 10
    fill(bench, 1, (11,))
    # flow 2 was at the head of the round, flow 1 joined behind it
    assert bench.ids() == [20, 11, 21]


def test_the_fullest_flow_loses_its_newest_packet():
    bench = sfq(limit=5)
    fill(bench, 1, (10, 11, 12))
    assert fill(bench, 2, (20, 21, 22)) == [(OK, []), (OK, []), (CN, [(22, "overlimit")])]
    # both have 3 when packet 22 comes; flow 2 reached 3 last.
    assert fill(bench, 3, (30,)) == [(OK, [(12, "overlimit")])]


def test_head_drop_takes_the_oldest():
    bench = sfq(limit=3, head_drop=True)
    fill(bench, 1, (10, 11, 12))
    assert fill(bench, 2, (20,)) == [(OK, [(10, "overlimit")])]


def test_there_are_no_more_queues_than_packets():
    # limit 3 leaves room for 3 flows, so that a fourth never takes a packet from another
    bench = sfq(limit=3)
    for number in (1, 2, 3):
        fill(bench, number, (number,))
    assert fill(bench, 4, (4,)) == [(DROP, [(4, "overlimit")])]
    assert bench.ids() == [1, 2, 3]


def test_depth_bounds_a_flow():
    bench = sfq(depth=2)
    assert fill(bench, 1, (10, 11, 12))[2] == (DROP, [(12, "flow_limit")])
    bench = sfq(depth=2, head_drop=True)
    assert fill(bench, 1, (10, 11, 12))[2] == (CN, [(10, "flow_limit")])
    assert bench.ids() == [11, 12]


def test_a_full_flow_keeps_its_place_among_the_full():
    bench = sfq(depth=2, limit=4, head_drop=True)
    fill(bench, 1, (10, 11))
    fill(bench, 2, (20, 21))
    fill(bench, 1, (12,))  # drops 10; flow 2 still is the one that reached 2 last
    assert fill(bench, 3, (30,)) == [(OK, [(20, "overlimit")])]


def test_no_queue_is_left_for_one_flow_more():
    bench = sfq(flows=2)
    fill(bench, 1, (1,))
    fill(bench, 2, (2,))
    assert fill(bench, 3, (3,)) == [(DROP, [(3, "overlimit")])]
    assert bench.ids() == [1, 2]
    assert fill(bench, 3, (4,)) == [(OK, [])]


def test_a_priority_or_a_filter_names_the_bucket():
    bench = sfq(quantum=1000, handle=0x10000)
    for id, number in ((1, 1), (2, 2), (3, 3)):
        bench.put(id, flow_hash=flow(number), priority=0x10007)
        bench.put(10 + id, flow_hash=flow(number), classid=0x10008)
    assert bench.ids() == [1, 11, 2, 12, 3, 13]
    assert bench.put(9, classid=0x10000 | 1025) == (DROP, [(9, "unclassified")])


def test_perturbing_sorts_anew_and_loses_nothing():
    bench = sfq(perturb=10**10, quantum=1000)
    for number in range(6):
        fill(bench, number, range(10 * number, 10 * number + 5))
    bench.put(99, flow_hash=flow(1), at=3 * 10**10)
    ids = bench.ids(3 * 10**10)
    assert len(ids) == 31
    for number in range(6):
        own = [id for id in ids if id // 10 == number]
        assert own == sorted(own)


def test_what_is_parked_is_still_queued():
    bench = sfq()
    fill(bench, 1, (1, 2))
    assert bench.pool.read(bench.qdisc.peek(0))["id"] == 1
    assert (bench.qdisc.qlen, bench.qdisc.backlog) == (2, 2000)
    # ... and already counts as sent, as in the kernel
    assert bench.qdisc.statistics()["bytes"] == 1000
    assert bench.ids() == [1, 2]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"divisor": 1000}, "power of two"),
        ({"divisor": 1 << 17}, "power of two"),
        ({"quantum": (1 << 20) + 1}, "1048576"),
        ({"limit": 1}, "at least 2"),
    ],
)
def test_what_the_kernel_refuses(given, why):
    with pytest.raises(ValueError, match=why):
        sfq(**given)


def test_limits_that_follow_from_others():
    bench = sfq(limit=1000, depth=4, flows=50, divisor=16)
    assert (bench.qdisc.flows, bench.qdisc.limit) == (16, 64)
    assert sfq(depth=1000, limit=500).qdisc.depth == 127
