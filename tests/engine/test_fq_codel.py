"""fq_codel: turns by hand, CoDel's times from RFC 8289's formula in the kernel's clock."""

from __future__ import annotations

from math import sqrt

import pytest

from tcc.engine.constants import ARP, CE, CN, DROP, OK
from tcc.engine.fq_codel import FqCodel
from tcc.engine.tcp.constants import LOCAL
from tests.engine.bench import MS, Bench, flow

TICK = 1024  # ns
INTERVAL, TARGET = 100_000_000 // TICK, 5_000_000 // TICK


def fq_codel(**given):
    return Bench(lambda pool: FqCodel(pool, **given))


def fill(bench, number, ids, length=1000, at=0, **fields):
    return [bench.put(id, length, at, flow_hash=flow(number), **fields) for id in ids]


def test_new_flows_go_first_and_once():
    bench = fq_codel(quantum=1000)
    fill(bench, 1, (10, 11, 12))
    fill(bench, 2, (20, 21))
    # each sends a quantum as a new flow, then they take turns as old ones
    assert [bench.get()["id"] for _ in range(3)] == [10, 20, 11]
    fill(bench, 3, (30, 31))
    # 30; flows 1 and 3 have used theirs up and go behind flow 2: 21; flow 3 was ahead of 1: 31
    assert bench.ids() == [30, 21, 31, 12]


def test_an_empty_new_flow_passes_through_the_old_ones_once():
    bench = fq_codel(quantum=1000)
    fill(bench, 1, (10, 11))
    fill(bench, 2, (20,))
    assert bench.ids(limit=2) == [10, 20]
    # flow 2 has used its quantum: it waits behind flow 1, although its packet is a lone one
    fill(bench, 2, (21,))
    assert bench.ids() == [11, 21]


def test_short_packets_share_a_quantum():
    bench = fq_codel(quantum=1000)
    fill(bench, 1, range(10, 16), length=400)
    fill(bench, 2, range(20, 23))
    # 3 * 400 leave -200, + 1000 = 800: two more; and so on
    assert bench.ids() == [10, 11, 12, 20, 13, 14, 21, 15, 22]


def test_a_quantum_is_at_least_256_bytes():
    assert fq_codel(quantum=5).qdisc.quantum == 256


def test_the_fattest_flow_loses_half_its_bytes():
    bench = fq_codel(limit=9)
    fill(bench, 1, range(10, 16), length=1000)
    fill(bench, 2, range(20, 23), length=1900)
    # 6000 and 5700 bytes: flow 1 loses 3 packets, half of its bytes
    assert fill(bench, 3, (30,)) == [(OK, [(n, "overlimit") for n in (10, 11, 12)])]
    assert bench.qdisc.statistics()["drop_overlimit"] == 3


def test_no_more_than_a_batch_is_dropped():
    bench = fq_codel(limit=5, drop_batch=2)
    fill(bench, 1, range(10, 15))
    assert fill(bench, 1, (15,)) == [(CN, [(10, "overlimit"), (11, "overlimit")])]


def test_memory_is_limited_for_packets_that_no_socket_pays_for():
    bench = fq_codel(memory_limit=4000)
    assert [v for v, _ in fill(bench, 1, (1, 2, 3), truesize=1300)] == [OK, OK, OK]
    assert bench.qdisc.statistics()["memory_used"] == 3900
    assert fill(bench, 2, (4,), length=100, truesize=1300) == [
        (OK, [(1, "overlimit"), (2, "overlimit")])  # 2000 of 3000 bytes are half, or more
    ]
    assert bench.qdisc.statistics()["drop_overmemory"] == 2
    fill(bench, 3, range(10, 30), truesize=1300, flags=LOCAL)
    assert bench.qdisc.statistics()["memory_used"] == 2600


def standing_queue(bench, times, **fields):
    """Let a queue of one flow stand: enough packets at 0, one dequeue at each time."""
    fill(bench, 1, range(3 * len(times)), length=1514, **fields)
    marked, dropped = [], []
    for at in times:
        row = bench.get(at)
        if row and row["tos"] & CE == CE:
            marked.append(at // MS)
        dropped += [at // MS for _ in bench.drops]
        bench.drops.clear()
    return marked, dropped


def schedule(count, first):
    """Return the ms in which CoDel acts for the 1st, 2nd ... time (RFC 8289 section 3.3).

    The kernel takes one step of Newton's method towards 1/sqrt(n) for each n, starting from 1.
    """
    due, found, inverse = first, [], 1.0
    for n in range(1, count + 1):
        ms = -(-due * TICK // MS)  # dequeues come at whole ms
        found.append(int(ms))
        if n == 1:
            due = ms * MS // TICK  # the first time counts from when it was noticed
        else:
            inverse = inverse / 2 * (3 - n * inverse**2)
        due += INTERVAL * inverse
    assert abs(inverse * sqrt(count) - 1) < 0.01
    return found


def test_codel_drops_by_its_control_law():
    # Over target from 5 ms on; a whole interval later, at tick 4882 + 97,656 = 102,538, not yet:
    # 105 ms is tick 102,539.  Then + interval * 1, * 1/2, * 9/16, ...
    bench = fq_codel()
    _, dropped = standing_queue(bench, range(0, 600 * MS, MS))
    assert TARGET == 4882
    expected = schedule(12, TARGET + INTERVAL + 1)
    assert expected[:4] == [105, 205, 255, 312]
    assert [ms for ms in dropped if ms <= 550] == [ms for ms in expected if ms <= 550]


def test_codel_marks_by_the_same_law():
    marked, dropped = standing_queue(fq_codel(), range(0, 600 * MS, MS), tos=2)
    assert dropped == []
    expected = schedule(12, TARGET + INTERVAL + 1)
    assert [ms for ms in marked if ms <= 550] == [ms for ms in expected if ms <= 550]


def test_without_ecn_packets_that_could_be_marked_are_dropped():
    marked, dropped = standing_queue(fq_codel(ecn=False), range(0, 110 * MS, MS), tos=2)
    assert (marked, dropped) == ([], [105])


def test_what_is_not_ip_cannot_be_marked():
    marked, dropped = standing_queue(fq_codel(), range(0, 110 * MS, MS), tos=2, protocol=ARP)
    assert (marked, dropped) == ([], [105])


def test_less_than_a_frame_of_backlog_is_no_standing_queue():
    bench = fq_codel()
    for n in range(400):
        bench.put(n, 700, n * MS)
        if n > 2:  # three packets, 2100 bytes, of which the one dequeued does not count: 1400
            assert bench.get(n * MS + 1000) is not None
    assert bench.drops == []


def test_ce_threshold_marks_at_once():
    bench = fq_codel(ce_threshold=2_000)
    fill(bench, 1, range(5), tos=1)
    # 2 ms are 1953 ticks; 2,000,000 ns are tick 1953: not later; 2,001,000 ns are 1954
    assert [bench.get(at)["tos"] for at in (MS, 2 * MS, 2 * MS + 1000)] == [1, 1, 3]
    assert bench.qdisc.statistics()["ce_mark"] == 1


def test_ce_threshold_may_look_only_at_some_packets():
    bench = fq_codel(ce_threshold=1, ce_mask=3, ce_selector=1)
    fill(bench, 1, (1,), tos=1)
    fill(bench, 1, (2,), tos=2)
    assert [bench.get(MS)["tos"] for _ in range(2)] == [3, 2]


def test_a_priority_or_a_filter_names_the_flow():
    bench = fq_codel(quantum=1000, handle=0x10000)
    for id in (1, 2, 3):
        bench.put(id, flow_hash=flow(id), priority=0x10007)
        bench.put(10 + id, flow_hash=flow(id), classid=0x10008)
    assert bench.ids() == [1, 11, 2, 12, 3, 13]
    assert bench.put(9, classid=0x10000 | 1025) == (DROP, [(9, "unclassified")])


def test_a_lower_limit_purges_in_order():
    bench = fq_codel()
    fill(bench, 1, range(5))
    bench.qdisc.change(2, 5000, 100_000, 1514, 1 << 25, True, 64)
    bench.qdisc.shrink(0)
    assert bench.settle() == [(n, "queue_purge") for n in (0, 1, 2)]
    assert bench.qdisc.statistics()["drops"] == 0
    assert bench.ids() == [3, 4]


def test_a_rush_of_drops_ends_at_256():
    # 1 us of interval: CoDel is behind schedule by thousands of drops at once.
    bench = fq_codel(interval=1, target=1)
    fill(bench, 1, range(2000), length=1514)
    assert bench.get(MS)["id"] == 0  # starts the interval
    assert bench.get(2 * MS)["id"] == 2  # one drop enters the dropping state
    assert bench.get(10 * MS)["id"] == 3 + 256
    assert len(bench.drops) == 257


@pytest.mark.parametrize("flows", [0, 65_537])
def test_what_the_kernel_refuses(flows):
    with pytest.raises(ValueError, match="1 to 65536"):
        fq_codel(flows=flows)


def test_reset():
    bench = fq_codel()
    fill(bench, 1, (1, 2), truesize=2304)
    bench.qdisc.peek(0)
    bench.qdisc.reset()
    assert sorted(bench.settle()) == [(1, "queue_purge"), (2, "queue_purge")]
    assert bench.qdisc.statistics() | {"new_flow_count": 0} == dict.fromkeys(
        bench.qdisc.statistics(), 0
    ) | {"maxpacket": 1000}
