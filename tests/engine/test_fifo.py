"""FIFOs: limits worked by hand from sch_fifo.c's two conditions."""

from __future__ import annotations

import pytest

from tcc.engine.constants import CN, DROP, OK
from tcc.engine.fifo import Fifo
from tests.engine.bench import Bench


def test_bfifo_takes_what_fits_to_the_byte():
    bench = Bench(lambda pool: Fifo(pool, 3000))
    assert bench.put(1, 1514) == (OK, [])
    assert bench.put(2, 1487) == (DROP, [(2, "overlimit")])  # 3001 bytes
    assert bench.put(3, 1486) == (OK, [])  # 3000 bytes
    assert bench.put(4, 1) == (DROP, [(4, "overlimit")])
    assert (bench.qdisc.qlen, bench.qdisc.backlog) == (2, 3000)
    assert bench.ids() == [1, 3]


def test_bfifo_lets_a_short_packet_pass_one_that_was_too_long():
    bench = Bench(lambda pool: Fifo(pool, 1000))
    assert [bench.put(n, length)[0] for n, length in enumerate((900, 101, 100))] == [OK, DROP, OK]


def test_pfifo_counts_packets():
    bench = Bench(lambda pool: Fifo(pool, 2, in_bytes=False))
    assert [bench.put(n, 9000)[0] for n in range(3)] == [OK, OK, DROP]
    assert bench.get()["id"] == 0
    assert bench.put(3, 9000)[0] == OK


def test_pfifo_head_drop_keeps_the_newest():
    bench = Bench(lambda pool: Fifo(pool, 2, in_bytes=False, head_drop=True))
    assert [bench.put(n)[0] for n in range(2)] == [OK, OK]
    assert bench.put(2) == (CN, [(0, "overlimit")])
    assert bench.put(3) == (CN, [(1, "overlimit")])
    assert bench.ids() == [2, 3]
    assert bench.qdisc.statistics()["drops"] == 2


@pytest.mark.parametrize("head_drop", [False, True])
def test_a_limit_of_0_drops_everything(head_drop):
    bench = Bench(lambda pool: Fifo(pool, 0, in_bytes=False, head_drop=head_drop))
    assert bench.put(1) == (DROP, [(1, "overlimit")])


def test_a_lower_limit_keeps_what_is_queued():
    bench = Bench(lambda pool: Fifo(pool, 5, in_bytes=False))
    for n in range(5):
        bench.put(n)
    bench.qdisc.change(2)
    assert bench.put(5)[0] == DROP
    assert bench.ids() == [0, 1, 2, 3, 4]


def test_peek_shows_and_leaves():
    bench = Bench(lambda pool: Fifo(pool, 5000))
    bench.put(7)
    assert bench.pool.read(bench.qdisc.peek(0))["id"] == 7
    assert bench.ids() == [7]


def test_reset_purges_and_counts_no_drops():
    bench = Bench(lambda pool: Fifo(pool, 5000))
    bench.put(1)
    bench.put(2)
    bench.qdisc.reset()
    assert bench.settle() == [(1, "queue_purge"), (2, "queue_purge")]
    assert bench.qdisc.statistics()["drops"] == 0
    assert bench.pool.used == 0
