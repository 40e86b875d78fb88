"""CAKE's attributes in a 7.3 kernel: accepted, kept, listed, refused as its specification says."""

from pathlib import Path

import pytest

from tcc.netlink.kinds import CAKE

pytestmark = pytest.mark.uml
GUEST = Path(__file__).with_name("guest_cake.py")

# cake_dump(), in its order, for a qdisc made without any option.
FRESH = {
    "BASE_RATE64": 0,
    "FLOW_MODE": 7,
    "RTT": 100_000,
    "TARGET": 5000,
    "MEMORY": 0,
    "AUTORATE": 0,
    "INGRESS": 0,
    "ACK_FILTER": 0,
    "NAT": 0,
    "DIFFSERV_MODE": 0,
    "WASH": 0,
    "OVERHEAD": 0,
    "RAW": 0,
    "ATM": 0,
    "MPU": 0,
    "SPLIT_GSO": 1,
    "FWMARK": 0,
}
# What does not come back as it was sent: the kernel stores less than the attribute holds.
STORED = {
    ("DIFFSERV_MODE", 257): 1,
    ("FLOW_MODE", 255): 63,
    ("OVERHEAD", 70_000): 4464,
    ("OVERHEAD", 40_000): -25_536,
    ("RTT", 0): 1,
    ("TARGET", 0): 1,
    ("AUTORATE", 5): 1,
    ("NAT", 7): 1,
    ("WASH", 2): 1,
    ("MPU", 70_000): 4464,
    ("INGRESS", 2): 1,
}
PER_TIN = {
    "threshold_rate": "THRESHOLD_RATE64",
    "sent_bytes": "SENT_BYTES64",
    "backlog_bytes": "BACKLOG_BYTES",
    "target_us": "TARGET_US",
    "interval_us": "INTERVAL_US",
    "sent_packets": "SENT_PACKETS",
    "way_indirect_hits": "WAY_INDIRECT_HITS",
    "way_misses": "WAY_MISSES",
    "way_collisions": "WAY_COLLISIONS",
    "drops": "DROPPED_PACKETS",
    "ecn_mark": "ECN_MARKED_PACKETS",
    "ack_drops": "ACKS_DROPPED_PACKETS",
    "max_pkt_len": "MAX_SKBLEN",
    "flow_quantum": "FLOW_QUANTUM",
}
OF_QDISC = {
    "memory_limit": "MEMORY_LIMIT",
    "min_network_size": "MIN_NETLEN",
    "max_network_size": "MAX_NETLEN",
    "min_adj_size": "MIN_ADJLEN",
    "max_adj_size": "MAX_ADJLEN",
    "avg_hdr_offset": "AVG_NETOFF",
    "active_queues": "ACTIVE_QUEUES",
}


def pairs(listed: list) -> dict:
    return {name: value for name, value in listed}  # noqa: C416 - JSON's lists of two


def test_a_fresh_qdisc(guest_report):
    assert list(pairs(guest_report["fresh"]).items()) == list(FRESH.items())


def test_each_attribute_is_kept_and_touches_no_other(guest_report):
    rows = guest_report["each_attribute"]
    assert set(rows) | {"RAW", "PAD"} == set(CAKE.by_name)
    for name, results in rows.items():
        for value, errno, listed in results:
            expected = FRESH | {name: STORED.get((name, value), value)}
            if name == "OVERHEAD":  # its presence ends raw
                del expected["RAW"]
            assert (errno, pairs(listed)) == (0, expected), (name, value)


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("short BASE_RATE64", "BASE_RATE64"),
        ("short DIFFSERV_MODE", "DIFFSERV_MODE"),
        ("empty RAW", "RAW"),
    ],
)
def test_short_payloads_are_refused_by_name(guest_report, case, name):
    said = guest_report["malformed"][case]
    assert (said["errno"], said["text"]) == (34, "Attribute failed policy validation")
    assert said["at"] == f"OPTIONS.{name}"
    assert pairs(said["listed"]) == FRESH


def test_long_payloads_and_unknown_attributes_are_accepted(guest_report):
    report = guest_report["malformed"]
    assert report["long DIFFSERV_MODE"]["errno"] == report["unknown 19"]["errno"] == 0
    assert pairs(report["long DIFFSERV_MODE"]["listed"])["DIFFSERV_MODE"] == 1
    assert pairs(report["unknown 19"]["listed"]) == FRESH


def test_a_change_keeps_what_it_does_not_mention(guest_report):
    report = guest_report["merging"]
    everything = pairs(report["all"])
    assert "RAW" not in everything
    assert everything["OVERHEAD"] == -4
    assert pairs(report["mpu"]) == everything | {"MPU": 0}
    assert pairs(report["overhead"]) == everything | {"MPU": 0, "OVERHEAD": 38}
    assert pairs(report["raw"]) == everything | {"MPU": 0, "OVERHEAD": 38, "RAW": 0}
    assert report["lengths"] == {"MIN_NETLEN": 65_535, "MAX_NETLEN": 0}


def test_statistics_are_those_that_tc_prints(guest_report):
    report = guest_report["statistics"]
    ours = pairs(report["ours"])
    [tc] = report["tc"]
    assert report["counters"]["packets"] >= 5
    assert [index for index, _ in ours["TIN_STATS"]] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {name: ours[number] for name, number in OF_QDISC.items()} == {
        name: tc[name] for name in OF_QDISC
    }
    for (_, listed), printed in zip(ours["TIN_STATS"], tc["tins"], strict=True):
        tin = pairs(listed)
        assert {name: tin[number] for name, number in PER_TIN.items()} == {
            name: printed[name] for name in PER_TIN
        }
    assert pairs(ours["TIN_STATS"][6][1])["SENT_PACKETS"] == 5  # EF is the seventh of eight


def test_cake_mq(guest_report):
    report = guest_report["multi_queue"]
    assert report["result"]["errno"] == 0
    assert report["refused"] == {
        "errno": 95,
        "text": "Can't use autorate-ingress with cake_mq",
        "at": "OPTIONS.AUTORATE",
    }
    assert report["root xstats"] == [None]
    assert sorted(parent for _, parent, _ in report["children"]) == ["1:1", "1:2", "1:3", "1:4"]
    assert all(listed == report["listed"] for _, _, listed in report["children"])
    assert report["active"] == [0, 0, 0, 0]


def test_sfq_and_fq_codel(guest_report):
    report = guest_report["other_kinds"]
    asked = {"quantum": 3000, "limit": 500, "depth": 64, "headdrop": 1, "divisor": 2048}
    assert asked.items() <= report["sfq"].items()
    kept = report["fq_codel"]
    exact = {
        "LIMIT": 1000,
        "FLOWS": 512,
        "QUANTUM": 3000,
        "ECN": 1,
        "MEMORY_LIMIT": 4 << 20,
        "DROP_BATCH_SIZE": 32,
        "CE_THRESHOLD_SELECTOR": 1,
        "CE_THRESHOLD_MASK": 3,
    }
    assert exact.items() <= kept.items()
    # fq_codel keeps times in units of 1024 ns and rounds down both ways.
    assert (kept["TARGET"], kept["INTERVAL"], kept["CE_THRESHOLD"]) == (5999, 89_999, 999)
    assert report["fq_codel stats"]["type"] == 0


def test_filters_and_actions(guest_report):
    report = guest_report["classifiers"]
    (ctinfo, restore), (mirred, redirect) = report["matchall"]["actions"]
    assert (ctinfo, mirred) == ("ctinfo", "mirred")
    assert restore["PARMS_DSCP_MASK"] == 0xFC000000
    assert restore["PARMS_DSCP_STATEMASK"] == 0x01000000
    assert redirect["PARMS"]["eaction"] == 1
    flower = report["flower"]["values"]
    assert (flower["KEY_UDP_DST"], flower["KEY_ETH_TYPE"]) == (53, 0x0800)
    assert (flower["KEY_IPV4_SRC"], flower["KEY_IP_TOS_MASK"]) == (0x0A000000, 0xFC)
    [(skbedit, mark)] = report["flower"]["actions"]
    assert (skbedit, mark["PRIORITY"], mark["MARK"]) == ("skbedit", 0x10003, 9)
    assert report["fw"]["values"]["MASK"] == 0xFF
    for line in (
        "ctinfo zone 0 pipe",
        "dscp 0xfc000000 0x01000000",
        "mirred (Egress Redirect to device ifb-try0) stolen",
        "ip_tos 184/0xfc",
        "src_ip 10.0.0.0/8",
        "dst_port 53",
        "skbedit  priority 1:3 mark 9 pipe",
        "handle 0xa/0xff",
    ):
        assert line in report["tc"], line
