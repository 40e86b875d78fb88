"""CAKE against the testable statements T21 to T67 of its specification (hand-worked numbers)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.mq import CakeMq
from tcc.engine.cake.statistics import classes, statistics, tin_names
from tcc.engine.constants import ARP, CN, OK, OTHER
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random
from tests.engine.cake_bench import (
    BESTEFFORT,
    DIFFSERV3,
    DIFFSERV4,
    DIFFSERV8,
    MS,
    T0,
    Bench,
)  # fmt: skip


def ids(delivered):
    return [id for _, id in delivered]


def test_t21_class_minor_numbers():
    bench = Bench(tins=DIFFSERV4)
    bench.put(1, 100, flow_hash=782)
    assert [entry["minor"] for entry in classes(bench.cake, T0)] == [0x70F]
    assert tin_names(bench.cake) == ("Bulk", "Best Effort", "Video", "Voice")


SIZES = [
    ({}, {46: 46, 1514: 1514}),
    ({"network_size": True}, {46: 32, 1514: 1500}),
    (
        {"network_size": True, "overhead": 38, "mpu": 84},
        {46: 84, 60: 84, 64: 88, 100: 124, 1514: 1538},
    ),
    ({"overhead": 38, "mpu": 84}, {46: 84, 60: 98, 1514: 1552}),
    ({"network_size": True, "overhead": 8, "cells": 1}, {46: 53, 60: 106, 590: 689, 1514: 1696}),
    ({"network_size": True, "overhead": 48, "cells": 1}, {46: 106, 64: 159, 1514: 1749}),
    ({"network_size": True, "overhead": 30, "cells": 2}, {46: 63, 60: 78, 1500: 1540, 1514: 1554}),
    ({"network_size": True, "overhead": -64}, {46: 0, 64: 0, 100: 22, 1514: 1436}),
    ({"network_size": True, "overhead": -64, "mpu": 64}, {46: 64, 100: 64, 590: 512}),
]


@pytest.mark.parametrize(("config", "sizes"), SIZES)
def test_t22_to_t26_sizes_on_the_wire(config, sizes):
    bench = Bench(**config)
    for length in [*sizes, *sizes]:
        bench.put(length, length)
        assert bench.get()["adjusted"] == sizes[length]


SUPER = {"gso_size": 1000, "gso_segs": 6, "header_length": 54, "truesize": 8000}


def test_t27_a_super_packet_kept_whole():
    bench = Bench(network_size=True, overhead=38, mpu=84, split_gso=False)
    bench.put(1, 5824, **SUPER)
    assert bench.get()["adjusted"] == 5 * 1078 + 578
    assert bench.tin()["packets"] == 1


def test_t27_a_super_packet_split():
    bench = Bench(network_size=True, overhead=38, mpu=84)
    assert bench.put(1, 5824, **SUPER) == (OK, [(1, "gso_split")])
    rows = [bench.get() for _ in range(6)]
    assert [row["id"] for row in rows] == [1000, 1001, 1002, 1003, 1004, 1005]
    assert [row["adjusted"] for row in rows] == [1078] * 5 + [578]
    assert [row["payload"] for row in rows] == [1000] * 5 + [500]
    row = bench.tin()
    assert (row["packets"], row["bytes"], row["max_length"]) == (6, 5824, 5824)
    assert (bench.cake.super_packets, bench.cake.segments) == (1, 6)


def test_a_super_packet_that_makes_no_sense_is_dropped():
    bench = Bench()
    assert bench.put(1, 5824, **(SUPER | {"gso_segs": 9}))[1] == [(1, "qdisc_drop")]
    assert (bench.cake.received, bench.cake.dropped_before, bench.cake.qlen) == (1, 1, 0)


@pytest.mark.parametrize(
    ("rate", "splits"), [(0, False), (125_000_000, True), (125_000_001, False), (1, True)]
)
def test_the_former_rule_splits_up_to_one_gigabit(rate, splits):
    # CAKE before it had the flag: split if a rate is set and at most 1 Gbit/s.
    bench = Bench(rate=rate, split_up_to=125_000_000)
    bench.put(1, 5824, **SUPER)
    assert bench.cake.qlen == (6 if splits else 1)


@pytest.mark.parametrize(("above", "splits"), [(5823, True), (5824, False)])
def test_splitting_above_a_size(above, splits):
    bench = Bench(split_above=above)
    bench.put(1, 5824, **SUPER)
    assert bench.cake.qlen == (6 if splits else 1)


def test_t28_the_shaper_spaces_packets():
    bench = Bench(rate=1_250_000)
    for id in range(5):
        bench.put(id, 1250)
    assert bench.drive() == [(n * MS, n) for n in range(5)]
    assert (bench.cake.tnext, bench.cake.failsafe) == (T0 + 5 * MS, T0 + 7_500_000)


def test_t29_an_idle_shaper_gives_no_credit():
    bench = Bench(rate=1_250_000)
    bench.put(1, 1250)
    bench.put(2, 1250, at=0)
    assert ids(bench.drive()) == [1, 2]
    bench.put(3, 1250, at=1_500_000)  # the clock stands at 2 ms
    assert bench.cake.take_wakeup() == T0 + 2 * MS
    assert bench.get(1_900_000) is None
    assert bench.get(2_000_000)["id"] == 3
    bench.put(4, 1250, at=500 * MS)
    bench.put(5, 1250, at=500 * MS)
    assert bench.drive(500 * MS) == [(500 * MS, 4), (501 * MS, 5)]


def test_t30_ingress_drops_are_charged_and_the_failsafe_limits_them():
    bench = Bench(rate=125_000, ingress=True, memory=20_000)
    for id in range(101):
        bench.put(id, 1514)
    assert len(bench.drops) == 93
    assert bench.cake.tnext == T0 + 1_126_416_000
    assert bench.cake.failsafe == T0
    times = [at for at, _ in bench.drive()]
    assert len(times) == 8
    assert {after - before for before, after in pairwise(times)} == {18_168_000}


def burst(packets=60, **config):
    bench = Bench(rate=125_000, **config)
    for id in range(1, packets + 1):
        bench.put(id, 1514)
    return bench


@pytest.mark.parametrize(
    ("ingress", "eighth", "ninth"), [(True, 72.672, 96.896), (False, 72.672, 84.784)]
)
def test_t31_t32_who_pays_for_a_dropped_packet(ingress, eighth, ninth):
    bench = burst(ingress=ingress)
    when = {id: at / MS for at, id in bench.drive(limit=9)}
    assert 7 not in when
    assert (when[8], when[9]) == (eighth, ninth)


@pytest.mark.parametrize(("dscps", "order"), [((0, 8, 34, 46), [46, 34, 8, 0])])
def test_t33_tins_on_schedule_go_by_rank(dscps, order):
    bench = Bench(rate=1_250_000, tins=DIFFSERV4)
    for dscp in dscps:
        bench.put(dscp, 1250, tos=dscp << 2, flow_hash=dscp)
    assert bench.drive() == [(n * MS, dscp) for n, dscp in enumerate(order)]


def test_t34_a_high_tin_is_held_to_its_threshold():
    bench = Bench(rate=1_250_000, tins=DIFFSERV4)
    for _ in range(40):
        bench.put(0, 1250, flow_hash=1)
        bench.put(46, 1250, flow_hash=2, tos=46 << 2)
    assert ids(bench.drive(limit=24)) == [46, 0, 0, 0] * 6


def test_t35_bulk_gets_a_sixteenth():
    bench = Bench(rate=1_250_000, tins=DIFFSERV3)
    for _ in range(170):
        bench.put(0, 1250, flow_hash=1)
        bench.put(8, 1250, flow_hash=2, tos=8 << 2)
    order = ids(bench.drive(limit=160))
    assert order == ([8] + [0] * 15) * 10


def test_t36_unlimited_tins_share_by_weight():
    bench = Bench(tins=DIFFSERV4)
    for dscp in (0, 8, 34, 46):
        for _ in range(250):
            bench.put(dscp, 1000, flow_hash=dscp, tos=dscp << 2)
    order = [bench.get()["id"] for _ in range(232)]
    assert {dscp: order.count(dscp) for dscp in (0, 34, 46, 8)} == {0: 128, 34: 64, 46: 32, 8: 8}
    assert order[:4] == [0, 8, 34, 46]


@pytest.mark.parametrize(
    ("fields", "position"),
    [
        ({"protocol": ARP}, 3),
        ({"protocol": OTHER, "tos": 0xB8}, 1),
        ({"tos": 0xB8}, 3),
    ],
)
def test_t37_arp_is_voice_and_what_is_not_ip_best_effort(fields, position):
    assert Bench(tins=DIFFSERV4).tin_of(**fields) == position


@pytest.mark.parametrize(
    ("mask", "mark", "position"),
    [(0xFF00, 0x100, 0), (0xFF00, 0x200, 1), (0xFF00, 0x300, 2), (0xFF00, 0x400, 3),
     (0xFF00, 0x500, 1), (0xFF00, 0x04, 1), (6, 2, 0), (6, 3, 0), (6, 4, 1), (6, 6, 2), (6, 8, 1)],
)  # fmt: skip
def test_t38_firewall_marks(mask, mark, position):
    assert Bench(tins=DIFFSERV4, fwmark=mask).tin_of(mark=mark) == position


@pytest.mark.parametrize(
    ("priority", "position"),
    [(0x10001, 0), (0x10002, 1), (0x10003, 2), (0x10004, 3), (0x10005, 1), (0x20001, 1),
     (0x10000, 1)],
)  # fmt: skip
def test_t39_priorities_of_this_handle(priority, position):
    assert Bench(tins=DIFFSERV4, handle=0x10000).tin_of(priority=priority) == position


def test_t39_a_mark_beats_a_priority():
    bench = Bench(tins=DIFFSERV4, fwmark=0xFF)
    assert bench.tin_of(mark=1, priority=0x10004) == 0


@pytest.mark.parametrize(
    ("priority", "position"), [(1, 0), (2, 1), (3, 2), (4, 3), (0, 2), (5, 2), (6, 2)]
)
def test_t40_with_handle_0_a_plain_priority_chooses_the_tin(priority, position):
    assert Bench(tins=DIFFSERV4, handle=0).tin_of(tos=34 << 2, priority=priority) == position


@pytest.mark.parametrize(("tos", "washed"), [(0xB9, 0x01), (0xBB, 0x03)])
@pytest.mark.parametrize("tins", [DIFFSERV4, BESTEFFORT])
def test_t41_wash(tos, washed, tins):
    bench = Bench(tins=tins, wash=True)
    bench.put(1, 100, tos=tos)
    assert bench.tins("backlog")[-1] == 100
    assert bench.get()["tos"] == washed


def test_t42_shrinking_purges_without_drops():
    bench = Bench(rate=125_000, tins=DIFFSERV4)
    for id, tos in enumerate((0, 32, 136, 184), 1):
        bench.put(id, 100, tos=tos, flow_hash=tos + 1)
    bench.cake.change(replace(bench.config, tins=BESTEFFORT))
    assert bench.settle() == [(id, "queue_purge") for id in (2, 3, 4)]
    assert (bench.cake.qlen, bench.cake.drops, bench.cake.dropped_after) == (1, 0, 3)


def test_t43_a_ninth_flow_collides():
    bench = Bench(rate=125_000, flow_mode=4)
    for k in range(1, 10):
        bench.put(k, 100, flow_hash=1024 * k + 3)
    row = bench.tin()
    assert (row["way_misses"], row["way_collisions"], row["way_hits"]) == (8, 1, 0)
    assert bench.cake.flow(0, 3)["tag"] == 9219


def test_t43_a_flow_in_another_way_is_an_indirect_hit():
    bench = Bench(rate=125_000, flow_mode=4)
    for id, hash in enumerate((3, 1027, 1027, 3)):
        bench.put(id, 100, flow_hash=hash)
    row = bench.tin()
    assert (row["way_misses"], row["way_hits"]) == (2, 1)
    assert (bench.cake.flow(0, 3)["tag"], bench.cake.flow(0, 4)["tag"]) == (3, 1027)


def test_t44_hosts_mode_hashes_both_hosts():
    bench = Bench(flow_mode=3)
    for id, (source, destination, flow) in enumerate(((5, 9, 1), (5, 9, 2), (9, 5, 3))):
        bench.put(id, 100, source_hash=source, destination_hash=destination, flow_hash=flow)
    assert bench.cake.flow(0, 12)["backlog"] == 300
    bench.put(9, 100, source_hash=5, destination_hash=10)
    assert bench.cake.flow(0, 15)["backlog"] == 100


@pytest.mark.parametrize(("mode", "slot"), [(0, 0), (1, 5), (2, 9), (4, 77), (7, 77)])
def test_flow_modes_choose_the_hash(mode, slot):
    bench = Bench(flow_mode=mode)
    bench.put(1, 100, source_hash=5, destination_hash=9, flow_hash=77)
    assert bench.cake.flow(0, slot)["backlog"] == 100


@pytest.mark.parametrize(
    ("mode", "classid", "slot"), [(7, 0x00000008, 7), (3, 0x00060000, 0), (1, 0x00060000, 5),
                                  (2, 0x00060003, 2 ^ 5), (0, 0x00000008, 0), (7, 0x04010000, 77)]
)  # fmt: skip
def test_filters_override_the_hashes(mode, classid, slot):
    # Minor 1..1024 is the flow, major 1..1024 both hosts; flowblind looks at neither.
    bench = Bench(flow_mode=mode)
    bench.put(1, 100, source_hash=40, destination_hash=9, flow_hash=77, classid=classid)
    assert bench.cake.flow(0, slot)["backlog"] == 100


def test_t45_a_new_flow_goes_first():
    bench = Bench(rate=12_500_000, flow_mode=4)
    for id in range(1, 7):
        bench.put(id, 1514, flow_hash=1)
    assert bench.get()["id"] == 1
    bench.put(7, 100, flow_hash=2, at=121_120)
    assert ids(bench.drive(at=121_120)) == [7, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("rate", "load", "u16", "quantum"),
    [(0, 1, 1513, 1513), (0, 1, 1514, 1514), (0, 2, 1513, 756), (0, 2, 1514, 757),
     (0, 5, 13409, 302), (0, 5, 13410, 303)],
)  # fmt: skip
def test_t46_quanta_are_dithered(rate, load, u16, quantum):
    bench = Bench(rate=rate, flow_mode=5, u16=u16)
    for flow in range(load):  # make `load` bulk flows of one source
        bench.put(flow, 1514, flow_hash=flow)
        bench.put(flow, 1514, flow_hash=flow)
    for _ in range(2 * load):
        if bench.cake.host(0, 1)["source_bulk"] == load:
            break
        bench.get()
    assert bench.cake.host(0, 1)["source_bulk"] == load
    bench.put(99, 100, flow_hash=900)
    assert bench.cake.flow(0, 900)["deficit"] == quantum


def fairness(mode, flows, packets=100):
    """Return deliveries by owner of flows given as (source, destination)."""
    long = 10_000_000  # microseconds: no packet is ever late
    bench = Bench(rate=12_500_000, flow_mode=mode, interval=long, target=long)
    for _ in range(packets):
        for flow, (source, destination) in enumerate(flows):
            bench.put(
                source, 1000, flow_hash=flow + 10, source_hash=source, destination_hash=destination
            )
    order = ids(bench.drive(limit=packets))
    return [order.count(source) for source in sorted(set(order), reverse=True)]


@pytest.mark.parametrize(("mode", "shares"), [(5, [54, 46]), (4, [80, 20]), (7, [81, 19])])
def test_t47_four_flows_against_one(mode, shares):
    assert fairness(mode, [(100, 7)] * 4 + [(99, 7)]) == shares


def test_t48_when_the_first_drops_happen():
    bench = burst()
    seen = {}
    at = 0
    for _ in range(40):
        before = len(bench.drops)
        bench.get(at)
        for id, _ in bench.drops[before:]:
            seen[id] = at / MS
        at = bench.cake.take_wakeup() - T0
    assert [seen[id] for id in (7, 14, 21, 26, 31, 36)] == [
        72.672, 145.344, 218.016, 266.464, 314.912, 363.36,
    ]  # fmt: skip
    assert {reason for _, reason in bench.drops} == {"congested"}
    bench.drive(at)
    assert bench.cake.dequeued == 49


def test_t50_a_later_episode_waits_an_interval():
    bench = burst()
    at = bench.drive()[-1][0]
    while bench.cake.flow(0, 1)["count"] or bench.cake.flow(0, 1)["state"]:
        at += 200 * MS  # another flow's packet lets the empty slot be looked at
        bench.put(0, 100, at=at, flow_hash=500)
        bench.drive(at)
    start = at + 1000 * MS
    for id in range(101, 161):
        bench.put(id, 1514, at=start)
    when = []
    at = start
    while len(when) < 4:
        before = len(bench.drops)
        bench.get(at)
        when += [(at - start) / MS] * (len(bench.drops) - before)
        at = bench.cake.take_wakeup() - T0
    assert when == [181.68, 254.352, 327.024, 387.584]


def test_t49_ecn_marks_instead():
    bench = Bench(rate=125_000)
    for id in range(1, 61):
        bench.put(id, 1514, tos=2)
    marked = []
    at = 0
    while bench.cake.qlen:
        row = bench.get(at)
        if row is not None and row["tos"] == 3:
            marked.append(row["id"])
        at = max(at, bench.cake.take_wakeup() - T0)
    assert marked[:8] == [7, 13, 19, 23, 27, 31, 35, 38]
    assert (len(marked), bench.tin()["ecn_mark"], bench.cake.marks) == (16, 16, 16)
    assert (bench.cake.dequeued, bench.drops) == (60, [])


def test_t51_the_last_packet_is_never_dropped():
    bench = Bench(rate=125_000_000)
    bench.put(1, 1514)
    bench.put(2, 1514)
    assert [bench.get(500 * MS)["id"], bench.get(500 * MS + 20_000)["id"]] == [1, 2]
    assert bench.cake.flow(0, 1)["count"] == 2


def test_t53_ingress_waits_for_every_bulk_flow():
    bench = Bench(rate=1_250_000, ingress=True, flow_mode=4)
    for n in range(30):
        for flow in range(4):
            bench.put(flow * 100 + n, 1514, flow_hash=flow + 1)
    first = None
    at = 0
    while first is None:
        bench.get(at)
        if bench.drops:
            first = (at, sorted(id // 100 for id, _ in bench.drops))
        at = bench.cake.take_wakeup() - T0
    assert first == (15_745_600, [0, 1, 2, 3])


def test_t54_over_the_limit_the_longest_flow_loses_its_head():
    bench = Bench(rate=125_000, memory=20_000)
    for id in range(1, 8):
        bench.put(id, 1000, flow_hash=1)
    assert bench.put(8, 1000, flow_hash=2) == (OK, [])
    assert bench.put(9, 1000, flow_hash=2) == (OK, [(1, "overlimit")])
    row = bench.cake.flow(0, 1)
    assert (row["p_drop"], row["count"], row["dropping"]) == (16_777_216, 1, 1)
    assert bench.tin()["unresponsive"] == 1
    assert bench.put(10, 1000, flow_hash=1) == (CN, [(2, "overlimit")])


def test_t55_blue_rises_once_a_target():
    bench = Bench(rate=125_000, memory=20_000, u32=0x00FFFFFF)
    for step in range(40):  # the ninth packet and each after it drop one, every 5 ms
        bench.put(step, 1514, at=step * 5 * MS)
    assert len(bench.drops) == 32
    assert bench.cake.flow(0, 1)["p_drop"] == 8 * 2**24
    before = len(bench.drops)
    assert bench.get(200 * MS)["id"] == 39  # the last packet goes whatever BLUE says
    assert [reason for _, reason in bench.drops[before:]] == ["flood_protection"] * 7


def test_t56_delay_averages():
    bench = Bench()
    at = 0
    for delay in (0, 10 * MS, 20 * MS, 1 * MS):
        bench.put(1, 100, at=at)
        bench.get(at + delay)
        at += 100 * MS
        row = bench.tin()
        found = (row["average_delay"], row["peak_delay"], row["base_delay"])
    assert found == (120_484, 6_852_051, 120_484)


def test_t57_an_emptied_slot_waits_for_other_traffic():
    bench = Bench(rate=125_000)
    bench.put(1, 100)
    assert bench.get()["id"] == 1
    assert bench.get(1000 * MS) is None
    assert bench.tin()["sparse"] == 1
    bench.put(2, 100, at=1000 * MS, flow_hash=5)
    assert bench.get(1000 * MS)["id"] == 2


def test_t57b_the_defective_heap_misses_the_longest():
    bench = Bench(rate=125_000, flow_mode=4)
    for flow, packets in enumerate((9, 3, 12, 7, 1, 15, 4, 11, 6, 14, 2, 10)):
        for n in range(packets):
            bench.put(flow * 100 + n, 1000, flow_hash=flow, truesize=1000)
    bench.cake.change(replace(bench.config, memory=40_000))
    _, dropped = bench.put(1199, 1000, flow_hash=11, truesize=1000)
    assert [id // 100 for id, _ in dropped[:12]] == [5, 5, 5, 5, 5, 7, 7, 5, 5, 0, 9, 9]
    left = [bench.cake.flow(0, flow)["backlog"] // 1000 for flow in range(12)]
    assert left == [3, 3, 2, 2, 1, 2, 4, 2, 6, 2, 2, 11]


def test_t63_autorate_follows_what_arrives():
    bench = Bench(rate=125_000, autorate=True)
    bench.put(0, 1500)
    assert (bench.cake.peak_rate, bench.cake.rate) == (124_517, 116_734)
    for id in range(3):
        bench.put(id, 1500)
    seen = {}
    for n in range(1, 340):
        at = n * 4_800_000
        before = bench.cake.rate
        for id in range(4):
            bench.put(id, 1500, at=at)
        if bench.cake.rate != before:
            seen[at / MS] = (bench.cake.peak_rate, bench.cake.rate)
    assert seen == {1300.8: (405_888, 380_520), 1555.2: (1_250_000, 1_171_875)}


def busy_mq(**config):
    bench = Bench(queues=4, rate=10_000_000, tins=DIFFSERV4, **config)
    for q in range(3):
        for id in range(6):
            bench.put(id, 1514, q=q, flow_hash=q * 100 + 1)
    for q in range(3):
        bench.get(q=q)
    return bench


def test_t64_children_share_the_rate():
    bench = busy_mq()
    rates = [child.tin(0)["rate"] for child in bench.children]
    assert rates == [3_333_333] * 3 + [10_000_000]
    assert [child.active_queues for child in bench.children] == [3, 3, 3, 0]
    assert [child.tin(2)["rate"] for child in bench.children[:3]] == [1_666_666] * 3
    assert {child.tin(0)["target"] for child in bench.children} == {5 * MS}


def test_t65_a_child_scans_every_200_microseconds():
    bench = busy_mq()
    scans = bench.children[0].scans
    bench.get(at=199_999)
    assert bench.children[0].scans == scans
    bench.get(at=200_000)
    assert bench.children[0].scans == scans + 1
    for q in (1, 2):
        bench.drive(at=200_000, q=q)
    bench.get(at=50 * MS)
    bench.get(at=51 * MS)
    assert (bench.children[0].tin(0)["rate"], bench.children[0].active_queues) == (10_000_000, 1)


def test_t66_a_change_gives_every_child_the_full_rate():
    bench = busy_mq()
    bench.mq.change(replace(bench.config, rate=20_000_000))
    assert [child.tin(0)["rate"] for child in bench.children] == [20_000_000] * 4
    assert [child.active_queues for child in bench.children] == [3, 3, 3, 0]
    assert {child.limit for child in bench.children} == {8_000_000}
    assert statistics(bench.children[0])["capacity_estimate"] == 0


TOS_PRIORITY = {0: 0, 1: 0, 2: 2, 3: 2, 4: 6, 5: 6, 6: 4, 7: 4}


@pytest.mark.parametrize(("dscp", "position"), [(34, 1), (14, 3), (46, 3), (36, 2)])
def test_t67_the_priority_that_ip_tos_sets_misleads_cake_mq(dscp, position):
    bench = Bench(queues=2, tins=DIFFSERV4)
    assert bench.tin_of(tos=dscp << 2, priority=TOS_PRIORITY[dscp & 7]) == position
    assert bench.tin_of(tos=34 << 2) == 2


def test_cake_mq_refuses_what_the_kernel_refuses():
    pool = PacketPool()
    with pytest.raises(ValueError, match="more than one transmit queue"):
        CakeMq(pool, Random(1), CakeConfig(), 1)
    with pytest.raises(ValueError, match="autorate"):
        CakeMq(pool, Random(1), CakeConfig(autorate=True), 2)
    with pytest.raises(ValueError, match="autorate"):
        CakeMq(pool, Random(1), CakeConfig(), 2).change(CakeConfig(autorate=True))


def test_before_the_first_fix_a_scan_rates_one_tin_only():
    # Before 15c2715a5264 the tin served last got the whole share, and the shaper its pace.
    bench = busy_mq(mq_kernel="before-15c2715a5264")
    bench.get(at=200_000)
    child = bench.children[0]
    assert child.tin(0)["rate"] == 3_333_333
    assert [child.tin(index)["rate"] for index in (1, 2, 3)] == [625_000, 5_000_000, 2_500_000]
    assert child.ns == child.tin(0)["ns"]


@pytest.mark.parametrize(
    ("kernel", "tins", "visits"),
    [
        ("net-next-15c2715a5264", BESTEFFORT, 7168),
        ("net-next-15c2715a5264", DIFFSERV3, 5120),
        ("net-next-15c2715a5264", DIFFSERV4, 4096),
        ("net-next-15c2715a5264", DIFFSERV8, 0),
        ("a3729e0df005-or-later", DIFFSERV3, 0),
        ("before-15c2715a5264", DIFFSERV3, 0),
    ],
)
def test_the_second_fix_spares_a_walk_of_the_unused_tins(kernel, tins, visits):
    bench = Bench(queues=2, rate=1_250_000, tins=tins, mq_kernel=kernel)
    before = bench.cake.purge_visits
    bench.get()
    assert (bench.cake.scans, bench.cake.purge_visits - before) == (1, visits)


def test_peek_parks_a_packet_that_stays_queued():
    bench = Bench(rate=1_250_000)
    for id in range(2):
        bench.put(id, 1250)
    packet = bench.cake.peek(T0)
    assert bench.pool.read(packet)["id"] == 0
    assert bench.cake.peek(T0) == packet
    assert (bench.cake.qlen, bench.cake.backlog, bench.cake.dequeued) == (2, 2500, 0)
    assert bench.get()["id"] == 0
    assert (bench.cake.qlen, bench.cake.dequeued) == (1, 1)


def test_reset_purges_every_tin():
    bench = Bench(tins=DIFFSERV4)
    for dscp in (0, 8, 34, 46):
        bench.put(dscp, 100, tos=dscp << 2, flow_hash=dscp)
    bench.cake.peek(T0)
    bench.cake.reset()
    assert len(bench.settle()) == 4
    assert (bench.cake.qlen, bench.cake.backlog, bench.cake.used, bench.cake.drops) == (0, 0, 0, 0)
