"""Configuration arithmetic and attributes: the CAKE specification's statements T01 to T16."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tcc.engine.cake import config as attributes
from tcc.engine.cake.config import CakeConfig, dump, merge, resets_lengths
from tcc.engine.cake.tables import INVERSE_ROOTS, MODE_NAMES, MODES, mode_of
from tests.engine.cake_bench import BESTEFFORT, DIFFSERV3, DIFFSERV4, Bench

TABLES = json.loads((Path(__file__).parents[1] / "data" / "cake-tables.json").read_text())


@pytest.mark.parametrize("name", MODE_NAMES)
def test_tin_tables_are_the_kernels(name):
    mode, table = MODES[MODE_NAMES.index(name)], TABLES["tins"][name]
    assert list(mode.index) == table["dscp_to_index"]
    assert list(mode.order) == table["display_order_to_index"]
    assert list(mode.quanta) == table["tin_quantum"]
    assert list(mode.shifts) == table.get("rate_shift", [])
    shown = [mode.order.index(index) for index in mode.index]
    assert shown == table["dscp_to_display"]


def test_inverse_roots_are_the_kernels():
    assert list(INVERSE_ROOTS) == TABLES["inv_sqrt_cache"]


def test_unknown_tin_modes_are_diffserv3():
    assert mode_of(7) is MODES[DIFFSERV3]


def test_t01_one_megabit():
    bench = Bench(rate=125_000)
    row = bench.tin()
    assert (row["ns"], row["shift"]) == (16777216000, 21)
    assert (row["mtu_time"], row["target"], row["interval"]) == (
        12_112_000,
        18_168_000,
        113_168_000,
    )
    assert row["flow_quantum"] == 300
    assert bench.cake.limit == 4_194_304


@pytest.mark.parametrize(
    ("rate", "ns", "shift", "mtu_time", "quantum"),
    [
        (1_250_000, 13421772800, 24, 1_211_200, 305),
        (12_500_000, 10737418240, 27, 121_120, 1514),
        (1_250_000_000, 13743895347, 34, None, 1514),
        (64, 16000000000, 10, None, 300),
        (1, 16000000000, 10, None, 300),
    ],
)
def test_t02_paces(rate, ns, shift, mtu_time, quantum):
    row = Bench(rate=rate).tin()
    assert (row["ns"], row["shift"], row["flow_quantum"]) == (ns, shift, quantum)
    if mtu_time:
        assert (row["mtu_time"], row["target"], row["interval"]) == (
            mtu_time,
            5_000_000,
            100_000_000,
        )


def test_t02_limit_is_four_times_the_bandwidth_delay_product():
    assert Bench(rate=12_500_000).cake.limit == 5_000_000


def test_t03_64_kilobit():
    row = Bench(rate=8000).tin()
    assert (row["target"] // 1000, row["interval"] // 1000) == (283_875, 567_750)


def test_t04_diffserv3_at_one_megabit():
    bench = Bench(rate=125_000, tins=DIFFSERV3)
    assert bench.tins("rate") == [7812, 125_000, 31_250]
    assert [target // 1000 for target in bench.tins("target")] == [290_706, 18_168, 72_672]
    assert [interval // 1000 for interval in bench.tins("interval")] == [581_413, 113_168, 167_672]


def test_t05_diffserv4_at_ten_megabit():
    bench = Bench(rate=1_250_000, tins=DIFFSERV4)
    assert bench.tins("rate") == [78_125, 1_250_000, 625_000, 312_500]
    assert bench.tins("target") == [29_068_800, 5_000_000, 5_000_000, 7_267_200]
    assert bench.tins("interval") == [124_068_800, 100_000_000, 100_000_000, 102_267_200]
    assert bench.tins("flow_quantum") == [300, 305, 300, 300]
    assert bench.tins("quantum") == [64, 1024, 512, 256]


@pytest.mark.parametrize("tins", [2, 4])
def test_t06_eight_tins_at_100_megabit(tins):
    bench = Bench(rate=12_500_000, tins=tins)
    assert bench.tins("rate") == [
        12_500_000, 10_937_500, 9_570_312, 8_374_023, 7_327_270, 6_411_361, 5_609_940, 4_908_697,
    ]  # fmt: skip
    assert bench.tins("flow_quantum") == [1514] * 6 + [1369, 1198]
    assert bench.tins("quantum") == [256, 224, 196, 171, 149, 130, 113, 98]


def test_t07_unlimited():
    bench = Bench(tins=DIFFSERV4)
    assert bench.tins("rate") == [0] * 4
    assert bench.tins("flow_quantum") == [1514] * 4
    assert set(bench.tins("target")) == {5_000_000}
    assert set(bench.tins("interval")) == {100_000_000}
    assert bench.cake.limit == 15_503_360
    assert Bench(memory=10_000).cake.limit == 10_000
    assert Bench(rate=1_250_000_000).cake.limit == 15_503_360


def test_t08_one_byte_a_second_leaves_two_tins_without_a_pace():
    bench = Bench(rate=1, tins=DIFFSERV3)
    rows = [bench.tin(index) for index in range(3)]
    assert [row["rate"] for row in rows] == [1, 0, 0]
    assert [row["flow_quantum"] for row in rows] == [300, 1514, 1514]
    assert [row["target"] // 1000 for row in rows] == [35_484_375, 5000, 5000]


def test_t09_twice_the_target_wins():
    row = Bench(interval=1000, target=50_000).tin()
    assert (row["target"], row["interval"]) == (50_000_000, 100_000_000)


def test_t12_a_fresh_cake_dumps_its_defaults():
    assert [number for number, _ in dump(CakeConfig())] == [
        2, 5, 7, 8, 10, 9, 15, 16, 11, 3, 13, 6, 12, 4, 14, 17, 18,
    ]  # fmt: skip
    assert [value for _, value in dump(CakeConfig())] == [
        0, 7, 100_000, 5000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "sent", "dumped"),
    [(5, 255, 63), (3, 257, 1), (3, 7, 7), (6, 70_000, 4464), (6, 40_000, -25_536),
     (14, 70_000, 4464), (9, 5, 1), (11, 7, 1), (7, 0, 1), (8, 0, 1)],
)  # fmt: skip
def test_t13_values_are_cut_to_what_is_stored(number, sent, dumped):
    assert dict(dump(merge(CakeConfig(), {number: sent})))[number] == dumped


def test_t13_an_unknown_tin_mode_has_three_tins():
    assert Bench(tins=7).cake.tin_count == 3


def test_t14_unknown_attributes_are_ignored():
    assert merge(CakeConfig(), {19: 1, 200: 1}) == CakeConfig()


def test_t15_a_change_leaves_what_it_does_not_name():
    before = CakeConfig(rate=625_000, mpu=84, overhead=38, network_size=True, tins=BESTEFFORT)
    after = merge(before, {attributes.MPU: 0})
    assert after.mpu == 0
    assert (after.rate, after.overhead, after.tins) == (625_000, 38, BESTEFFORT)


def test_t16_overhead_then_raw():
    change = {attributes.OVERHEAD: 38, attributes.RAW: 0}
    config = merge(CakeConfig(), change)
    assert dict(dump(config))[attributes.OVERHEAD] == 38
    assert (attributes.RAW, 0) in dump(config)
    assert resets_lengths(change)
    assert not resets_lengths({attributes.MPU: 0})
    bench = Bench()
    bench.put(1, 1000)
    assert (bench.cake.max_netlen, bench.cake.min_netlen) == (1000, 1000)
    bench.cake.change(config, True)
    cake = bench.cake
    lengths = (cake.max_netlen, cake.min_netlen, cake.max_adjlen, cake.min_adjlen)
    assert lengths == (0, 65535, 0, 65535)


def test_a_configuration_out_of_range_is_refused_with_every_field_named():
    with pytest.raises(ValueError, match=r"rate is -1.*overhead is 40000.*mq_kernel is 'no'"):
        CakeConfig(rate=-1, overhead=40_000, mq_kernel="no")
