"""pfifo_fast: bands by the priority map of tc-pfifo_fast(8), rings by struct ptr_ring's rule."""

from __future__ import annotations

import pytest

from tcc.engine.constants import DROP, OK
from tcc.engine.pfifo_fast import PfifoFast
from tests.engine.bench import Bench

# tc-prio(8), tc-pfifo_fast(8): 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1
FIRST, MIDDLE, LAST = (6, 7), (0, 4, 8, 9, 10, 11, 12, 13, 14, 15), (1, 2, 3, 5)


def pfifo_fast(limit=1000):
    return Bench(lambda pool: PfifoFast(pool, limit))


def test_priorities_and_bands():
    bench = pfifo_fast()
    for priority in range(16):
        bench.put(priority, priority=priority)
    assert bench.ids() == [*FIRST, *MIDDLE, *LAST]


def test_only_four_bits_of_a_priority_count():
    bench = pfifo_fast()
    bench.put(1, priority=2)
    bench.put(2, priority=0x10006)
    assert bench.ids() == [2, 1]


def test_each_band_has_the_whole_limit():
    bench = pfifo_fast(limit=3)
    assert [bench.put(n, priority=0)[0] for n in range(4)] == [OK, OK, OK, DROP]
    assert [bench.put(10 + n, priority=6)[0] for n in range(4)] == [OK, OK, OK, DROP]
    assert bench.drops == [(3, "overlimit"), (13, "overlimit")]
    assert bench.ids() == [10, 11, 12, 0, 1, 2]


def test_a_super_packet_is_one_packet():
    bench = pfifo_fast(limit=1)
    assert bench.put(1, 60_000, gso_segs=40)[0] == OK
    assert bench.put(2, 60)[0] == DROP


def test_a_full_ring_has_room_again_after_16_packets():
    bench = pfifo_fast(limit=40)
    for n in range(40):
        bench.put(n)
    for n in range(15):
        assert bench.get()["id"] == n
        assert bench.put(100 + n)[0] == DROP
    assert bench.get()["id"] == 15
    assert [bench.put(200 + n)[0] for n in range(17)] == [OK] * 16 + [DROP]


def test_the_end_of_a_ring_frees_its_places():
    # 40 places: batches end at 16, at 32 and at the end of the ring, after 8 more.
    bench = pfifo_fast(limit=40)
    for n in range(40):
        bench.put(n)
    bench.ids(limit=32)
    for n in range(40, 72):
        assert bench.put(n)[0] == OK
    assert bench.put(99)[0] == DROP
    bench.ids(limit=7)
    assert bench.put(99)[0] == DROP
    bench.ids(limit=1)
    assert [bench.put(n)[0] for n in range(72, 81)] == [OK] * 8 + [DROP]


def test_short_rings_free_place_by_place():
    bench = pfifo_fast(limit=31)
    for n in range(31):
        bench.put(n)
    bench.get()
    assert bench.put(99)[0] == OK


def test_peek_and_reset():
    bench = pfifo_fast()
    bench.put(1, priority=2)
    bench.put(2, priority=6)
    assert bench.pool.read(bench.qdisc.peek(0))["id"] == 2
    bench.qdisc.reset()
    assert bench.settle() == [(2, "queue_purge"), (1, "queue_purge")]
    assert bench.qdisc.statistics()["drops"] == 0


def test_a_band_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        pfifo_fast(limit=0)
