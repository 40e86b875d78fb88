"""fq: turns, bands and departures worked by hand from sch_fq.c's rules and tc-fq(8)."""

from __future__ import annotations

import pytest

from tcc.engine.constants import DROP, OK
from tcc.engine.fq import Fq
from tcc.engine.tcp.constants import LOCAL
from tests.engine.bench import MS, US, Bench, flow

SECOND = 1_000_000_000
MBYTE = 1_000_000


def fq(**given):
    given.setdefault("timer_slack", 0)
    return Bench(lambda pool: Fq(pool, **given))


def fill(bench, number, ids, length=1000, at=0, **fields):
    return [bench.put(id, length, at, flow_hash=flow(number), **fields) for id in ids]


def busy(bench):
    """Fill the fast path with eight packets, so that the next ones are sorted into flows."""
    fill(bench, 99, range(900, 908), length=60)


def rest(bench, at=0):
    return [id for id in bench.ids(at) if id < 900]


def test_an_idle_qdisc_lets_packets_pass():
    bench = fq()
    fill(bench, 1, (1, 2))
    fill(bench, 2, (3,))
    assert bench.ids() == [1, 2, 3]
    assert bench.qdisc.statistics()["fastpath"] == 3
    assert bench.qdisc.flows == 0


def test_no_more_than_eight_packets_pass_at_a_time():
    bench = fq()
    fill(bench, 1, range(9))
    fill(bench, 2, (20,))
    assert bench.qdisc.statistics()["fastpath"] == 8
    assert bench.qdisc.flows == 2


def test_flows_take_turns():
    bench = fq(quantum=1000, initial_quantum=1000)
    busy(bench)
    fill(bench, 1, (10, 11, 12))
    fill(bench, 2, (20, 21))
    assert rest(bench) == [10, 20, 11, 21, 12]


def test_a_new_flow_may_send_an_initial_quantum():
    bench = fq(quantum=1000, initial_quantum=3000)
    busy(bench)
    fill(bench, 1, (10, 11, 12, 13))
    fill(bench, 2, (20, 21, 22, 23))
    assert rest(bench) == [10, 11, 12, 20, 21, 22, 13, 23]


def test_a_flow_is_no_longer_than_its_limit():
    bench = fq(flow_limit=2)
    busy(bench)
    assert [v for v, _ in fill(bench, 1, (1, 2, 3))] == [OK, OK, DROP]
    assert bench.drops == [(3, "flow_limit")]


def test_a_band_is_no_longer_than_the_limit():
    bench = fq(limit=2)
    busy(bench)
    assert [v for v, _ in fill(bench, 1, (1, 2, 3))] == [OK, OK, DROP]
    assert [v for v, _ in fill(bench, 2, (4, 5, 6), priority=6)] == [OK, OK, DROP]
    assert bench.drops == [(3, "band_limit"), (6, "band_limit")]


def test_bands_by_weight():
    # Bands may send 3, 2 and 1 packets of 16,384 bytes in their turn; band 1 has the first turn.
    weights = (3 << 14, 2 << 14, 1 << 14)
    bench = fq(weights=weights, quantum=1 << 14, initial_quantum=1 << 14, flow_limit=1000)
    busy(bench)
    for band, priority in enumerate((6, 0, 1)):
        for n in range(12):
            fill(bench, band, (100 * band + n,), length=1 << 14, priority=priority)
    bands = [id // 100 for id in rest(bench)]
    # New flows are listed in band 0, whatever their band is, until their first quantum is used:
    # one packet of each goes on account of band 0.  Flow 2 has used its quantum then, but leaves
    # that list only in the next turn of band 0; so band 2 has nothing to send in its first.
    assert bands[:5] == [0, 1, 2, 1, 1]
    assert bands[5:23] == [0, 0, 0, 1, 1, 2] * 3
    assert sorted(bands) == [0] * 12 + [1] * 12 + [2] * 12


def test_departure_times():
    bench = fq()
    fill(bench, 1, (1,), departure_time=5 * MS)
    fill(bench, 1, (2,), departure_time=2 * MS)
    fill(bench, 2, (3,), departure_time=3 * MS)
    fill(bench, 2, (4,), departure_time=3 * MS)
    fill(bench, 3, (5,))
    assert bench.drive() == [(0, 5), (2 * MS, 2), (3 * MS, 3), (3 * MS, 4), (5 * MS, 1)]


def test_an_earlier_packet_wakes_its_flow():
    bench = fq()
    fill(bench, 1, (1,), departure_time=5 * MS)
    assert bench.get() is None
    fill(bench, 1, (2,), at=MS, departure_time=2 * MS)
    assert bench.drive(MS) == [(2 * MS, 2), (5 * MS, 1)]


def test_the_timer_is_as_late_as_its_slack():
    bench = fq(timer_slack=10 * US)
    fill(bench, 1, (1,), departure_time=5 * MS)
    assert bench.drive() == [(5 * MS + 10 * US, 1)]
    fill(bench, 1, (2,), at=6 * MS, departure_time=7 * MS)
    assert bench.get(6 * MS) is None
    assert bench.get(7 * MS)["id"] == 2  # whoever asks in time gets it in time


def test_the_horizon():
    bench = fq(horizon=SECOND)
    assert fill(bench, 1, (1,), departure_time=SECOND) == [(OK, [])]
    assert fill(bench, 1, (2,), departure_time=SECOND + 1) == [(DROP, [(2, "horizon_limit")])]
    bench = fq(horizon=SECOND, horizon_drop=False)
    fill(bench, 1, (1,), departure_time=7 * SECOND)
    assert bench.drive() == [(SECOND, 1)]


def test_a_flow_with_a_rate_sends_a_quantum_at_a_time():
    # 1 MB/s: 3028 bytes take 3.028 ms.  A credit of 3028 lets two packets of 1514 go.
    bench = fq(initial_quantum=3028)
    packet = bench.packet(0, 1514, flow_hash=flow(1))
    bench.qdisc.pace(packet, MBYTE)
    bench.pool.free(packet)
    fill(bench, 1, range(6), length=1514)
    gap = 3_028_000
    assert bench.drive() == [
        (0, 0), (0, 1), (gap, 2), (gap, 3), (2 * gap, 4), (2 * gap, 5),
    ]  # fmt: skip


def test_slow_flows_are_paced_packet_by_packet():
    bench = fq(flow_max_rate=50_000, low_rate_threshold=50_000)
    fill(bench, 1, range(4), length=1000)
    assert bench.drive() == [(n * 20 * MS, n) for n in range(4)]


def test_a_packet_never_waits_more_than_a_second_for_its_rate():
    bench = fq(flow_max_rate=100)
    fill(bench, 1, range(3), length=1000)
    assert bench.drive() == [(n * SECOND, n) for n in range(3)]
    assert bench.qdisc.statistics()["pkts_too_long"] == 3


def test_lateness_is_made_up_by_half_a_gap_at_most():
    # 1 MB/s, every packet is paced: 1 ms each.
    bench = fq(flow_max_rate=MBYTE, low_rate_threshold=MBYTE)
    fill(bench, 1, range(5), length=1000)
    assert bench.get(0)["id"] == 0
    assert bench.get(0) is None
    assert bench.get(1_300_000)["id"] == 1  # 0.3 ms late: the next one is due 0.7 ms later
    assert bench.get(1_999_999) is None
    assert bench.get(2_000_000)["id"] == 2
    assert bench.get(2_000_000) is None
    assert bench.get(9_000_000)["id"] == 3  # 6 ms late: half a ms is made up
    assert bench.get(9_499_999) is None
    assert bench.get(9_500_000)["id"] == 4


def test_a_rate_does_not_pace_packets_with_a_departure_time():
    bench = fq(initial_quantum=1000)
    packet = bench.packet(0, 1000, flow_hash=flow(1))
    bench.qdisc.pace(packet, 1000)
    bench.pool.free(packet)
    fill(bench, 1, range(4), departure_time=MS)
    assert bench.drive() == [(MS, n) for n in range(4)]


def test_without_pacing_rates_are_ignored():
    bench = fq(flow_max_rate=1000, pacing=False)
    fill(bench, 1, range(4))
    assert bench.ids() == [0, 1, 2, 3]


def test_sockets_are_flows_of_their_own():
    bench = fq(quantum=1000, initial_quantum=1000)
    busy(bench)
    for owner in (5, 6):
        fill(bench, 1, (10 * owner, 10 * owner + 1), owner=owner, flags=LOCAL)
    assert rest(bench) == [50, 60, 51, 61]


def test_hashes_that_differ_above_the_mask_share_a_flow():
    bench = fq(orphan_mask=1023)
    busy(bench)
    bench.put(1, flow_hash=7)
    bench.put(2, flow_hash=7 + 1024)
    assert bench.qdisc.flows == 1  # the packets that passed have no flow


def test_an_idle_flow_has_a_full_quantum_again():
    bench = fq(quantum=3000, initial_quantum=1000)
    for start in (0, SECOND):
        busy(bench)
        fill(bench, 1, (1, 2, 3), at=start)
        fill(bench, 2, (11, 12, 13), at=start)
        got = rest(bench, start)
        assert bench.get(start) is None
        if start == 0:
            assert got == [1, 11, 2, 3, 12, 13]
        else:
            assert got == [1, 2, 3, 11, 12, 13]


def test_flows_that_were_idle_for_seconds_are_forgotten():
    bench = fq(buckets=2, quantum=1000, initial_quantum=1000)
    for number in range(1, 9):
        busy(bench)
        fill(bench, number, (number,))
        bench.ids()
    busy(bench)
    fill(bench, 9, range(3))  # its turns lead past the others, which are empty
    bench.ids()
    assert bench.qdisc.flows == 9
    busy(bench)
    fill(bench, 1, (60,), at=4 * SECOND)
    fill(bench, 2, (61,), at=4 * SECOND)
    # 8 of the 9 were idle; 1 was asked for, and 2 and its like are in the other bucket
    assert bench.qdisc.statistics()["gc"] >= 6
    assert bench.qdisc.flows <= 3


def test_marks_for_what_is_sent_too_late():
    bench = fq(ce_threshold=2 * MS)
    fill(bench, 1, (1, 2), tos=2, departure_time=MS)
    assert bench.get(3 * MS)["tos"] == 2
    assert bench.get(3 * MS + 1)["tos"] == 3


def test_many_flows():
    bench = fq(flow_limit=10)
    for number in range(1, 400):
        fill(bench, number, (number,), departure_time=(400 - number) * MS)
    assert [id for _, id in bench.drive()] == list(range(399, 0, -1))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"buckets": 3}, "power of two"),
        ({"buckets": 1}, "power of two"),
        ({"initial_quantum": (1 << 20) + 1}, "1048576"),
        ({"priomap": [3] * 16}, "bands from 0 to 2"),
        ({"weights": (1, 65_536, 65_536)}, "16384"),
    ],
)
def test_what_the_kernel_refuses(given, why):
    with pytest.raises(ValueError, match=why):
        fq(**given)


def test_reset():
    bench = fq()
    busy(bench)
    fill(bench, 1, (1, 2), departure_time=MS)
    fill(bench, 2, (3,))
    bench.qdisc.peek(0)
    bench.qdisc.reset()
    assert len(bench.settle()) == 11
    assert bench.pool.used == 0
    assert bench.get(10 * MS) is None
    assert bench.qdisc.statistics()["drops"] == 0
    fill(bench, 1, (4,))
    assert bench.ids() == [4]
