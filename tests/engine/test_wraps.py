"""Where the kernel's numbers are too narrow: what comes out, worked by hand from their widths.

Each test names the number and the section of the CAKE specification that gives its width. What the
netlink attributes are cut to is T13 in test_cake_config.py; acknowledgements and the TCP option's
time stamps (TSval and TSecr) modulo 2**32 are in test_ack_filter.py.
"""

from __future__ import annotations

import pytest

from tcc.engine.cake.config import ACK_FILTER, ATM, CakeConfig, dump, merge
from tcc.engine.cake.statistics import classes, statistics
from tests.engine.cake_bench import DIFFSERV8, MS, T0, Bench

INTERPLANETARY = {"interval": 1_000_000_000, "target": 1}
"""An interval of 10**12 ns; 10**12 = 232 * 2**32 + 3,567,587,328."""
LOW_32_BITS = 3_567_587_328


@pytest.mark.parametrize(("number", "sent", "stored"), [(ATM, 258, 2), (ACK_FILTER, 258, 2)])
def test_modes_are_u8(number, sent, stored):  # 1.2
    assert dict(dump(merge(CakeConfig(), {number: sent})))[number] == stored


@pytest.mark.parametrize(
    ("rate", "limit"),
    [
        (10_737_418_225, 15_503_360),  # 4,294,967,290 bytes, and 10,240 packets of 1514 are less
        (10_737_418_250, 4_194_304),  # 4,294,967,300 bytes are 4 in 32 bits: at least 4 MiB
        (1 << 63, 4_194_304),  # the product with 100,000 us is 0 in 64 bits
    ],
)
def test_four_times_the_bandwidth_delay_product_is_u32_of_a_u64(rate, limit):  # 3.3
    assert Bench(rate=rate).cake.limit == limit


def test_ten_thousand_packets_are_u32():  # 3.3
    # 10,240 * 419,431 = 4,294,973,440 = 2**32 + 6144
    assert Bench(mtu=419_431).cake.limit == 6144
    assert Bench(mtu=419_430).cake.limit == 10_240 * 419_430


def test_seven_eighths_of_a_rate_are_reckoned_in_u64():  # 3.2
    # 7 * 2**62 = 2**64 + 3 * 2**62; then 7 * 3 * 2**59 fits
    assert Bench(rate=1 << 62, tins=DIFFSERV8).tins("rate")[:3] == [1 << 62, 3 << 59, 21 << 56]


def test_a_packet_shorter_than_its_header_is_u32_below_zero_and_s32_again():  # 5.3
    bench = Bench(network_size=True, overhead=38)
    bench.put(1, 10)  # 10 - 14 = 2**32 - 4, of which a u16 keeps 65,532
    assert bench.get()["adjusted"] == 34
    cake = bench.cake
    assert (cake.max_netlen, cake.min_netlen) == (65_532, 65_535)
    assert (cake.max_adjlen, cake.min_adjlen) == (34, 34)


def test_the_extremes_of_lengths_are_u16():  # 5.3
    bench = Bench(network_size=True)
    bench.put(1, 70_014)
    assert bench.get()["adjusted"] == 70_000
    cake = bench.cake
    assert (cake.max_netlen, cake.max_adjlen) == (4464, 4464)  # 70,000 - 65,536
    assert (cake.min_netlen, cake.min_adjlen) == (65_535, 65_535)
    bench.put(2, 5014)
    bench.get()
    assert (cake.max_netlen, cake.min_netlen) == (5000, 5000)


def test_cells_can_make_a_length_too_long_for_u16():  # 5.3
    bench = Bench(network_size=True, cells=1)
    bench.put(1, 60_014)  # 1250 cells of 53 bytes
    assert bench.get()["adjusted"] == 66_250
    assert (bench.cake.max_netlen, bench.cake.max_adjlen) == (60_000, 714)


def test_the_segments_of_a_super_packet_together_are_u32():  # 5.3
    bench = Bench(split_gso=False, overhead=32_767)
    bench.put(1, 65_534 * 32_800 + 100, gso_size=32_800, gso_segs=65_535)
    # 65,534 * 65,567 + 32,867 = 4,296,900,645 = 2**32 + 1,933,349
    assert bench.get()["adjusted"] == 1_933_349


def test_the_duration_of_a_packet_is_reckoned_in_u64():  # 3.2
    bench = Bench(rate=64, split_gso=False)
    bench.put(1, 2_100_000_000, gso_size=35_000, gso_segs=60_000)
    assert bench.get()["id"] == 1
    # 2.1e9 * 1.6e10 - 2**64 = 15,153,255,926,290,448,384; shifted by 10
    assert bench.cake.tnext == T0 + 14_798_101_490_518_016


def test_the_deficit_of_a_tin_is_s32():  # 6.2
    bench = Bench(rate=1 << 40, split_gso=False)
    for flow in (1, 2):
        bench.put(flow, 2_100_000_000, gso_size=35_000, gso_segs=60_000, flow_hash=flow)
    assert bench.get()["id"] == 1
    assert bench.tin()["deficit"] == -2_100_000_000
    assert bench.get(at=10 * MS)["id"] == 2
    assert bench.tin()["deficit"] == 94_967_296  # 2**32 - 4.2e9


def signalled():
    """Return a bench whose slot 1 has signalled once: packet 1 was late, packet 2 dropped."""
    bench = Bench(**INTERPLANETARY)
    for id in (1, 2, 3):
        bench.put(id, 1000)
    assert bench.get(at=1 * MS)["id"] == 1
    assert bench.get(at=2 * MS)["id"] == 3
    assert bench.drops == [(2, "congested")]
    return bench


def test_the_control_law_takes_32_bits_of_the_interval():  # 6.4
    flow = signalled().cake.flow(0, 1)
    assert (flow["count"], flow["rec"]) == (2, 3_037_000_500)
    # 3,567,587,328 * 3,037,000,500 / 2**32, cut
    assert flow["drop_next"] - T0 == 1 * MS + 2_522_665_192


def test_t11_an_interplanetary_step_is_three_and_a_half_seconds():  # 6.4
    bench = signalled()
    before = bench.cake.flow(0, 1)["drop_next"]
    for id in (4, 5, 6):
        bench.put(id, 1000, at=10_000 * MS, flow_hash=2)
    for _ in range(3):  # two use up the quantum of slot 2, then slot 1 is found empty
        bench.get(at=10_000 * MS)
    flow = bench.cake.flow(0, 1)
    assert (flow["count"], flow["rec"]) == (1, 4_294_967_295)
    assert flow["drop_next"] - before == LOW_32_BITS - 1


def test_where_there_is_no_count_the_whole_interval_is_added():  # 6.4, step 7
    bench = Bench(**INTERPLANETARY)
    bench.put(1, 1000)
    bench.get()
    assert bench.cake.flow(0, 1)["drop_next"] == T0 + 10**12


def test_blues_probability_stops_at_32_bits():  # 6.4
    bench = Bench(memory=20_000)
    for id in range(8 + 255):
        bench.put(id, 1000, at=6 * MS * id)
    assert bench.cake.flow(0, 1)["p_drop"] == 255 << 24
    for id in range(263, 266):
        bench.put(id, 1000, at=6 * MS * id)
    assert bench.cake.flow(0, 1)["p_drop"] == 4_294_967_295


def test_delays_are_shown_in_u32_of_microseconds():  # 1.4
    bench = Bench()
    bench.put(1, 1000)
    bench.get(at=4 * (2**32 + 7) * 1000)  # a quarter of it becomes the peak
    [tin] = statistics(bench.cake)["tins"]
    assert tin["peak_delay_us"] == 7


@pytest.mark.parametrize(
    ("late", "shown"),
    [(2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (2**32 + 5, 5), (-(2**31) - 1, 2**31 - 1)],
)
def test_the_times_of_a_class_are_s32_of_microseconds(late, shown):  # 1.4
    bench = Bench(memory=20_000)
    for id in range(9):
        bench.put(id, 1000)  # the ninth is one too many: BLUE and CoDel signal at T0
    [one] = classes(bench.cake, T0 + late * 1000)
    assert (one["drop_next_us"], one["blue_timer_us"]) == (shown, shown)
