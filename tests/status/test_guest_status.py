"""Every number of the status against `tc -s -j qdisc show`, on the 7.3 kernel after traffic."""

from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

pytestmark = pytest.mark.uml
GUEST = Path(__file__).with_name("guest_status.py")
SETUPS = (
    "cake diffserv4", "cake besteffort", "cake diffserv8", "cake diffserv3", "cake unlimited",
    "cake_mq", "tbf and fq_codel", "tbf of 40 gbit", "fq_codel", "cake in htb",
)  # fmt: skip
GENERIC = {
    "bytes": "sent_bytes",
    "packets": "sent_packets",
    "drops": "dropped_packets",
    "overlimits": "overlimits",
    "requeues": "requeues",
    "backlog": "backlog_bytes",
    "qlen": "backlog_packets",
}
PER_TIN = {
    "sent_bytes": "arrived_bytes",
    "sent_packets": "arrived_packets",
    "drops": "dropped_packets",
    "ecn_mark": "marked_packets",
    "ack_drops": "acks_dropped",
    "backlog_bytes": "backlog_bytes",
    "peak_delay_us": "peak_delay_us",
    "avg_delay_us": "average_delay_us",
    "base_delay_us": "base_delay_us",
    "sparse_flows": "sparse_flows",
    "bulk_flows": "bulk_flows",
    "unresponsive_flows": "unresponsive_flows",
    "target_us": "target_us",
    "interval_us": "interval_us",
    "flow_quantum": "quantum_bytes",
    "max_pkt_len": "longest_packet_bytes",
    "way_indirect_hits": "way_indirect_hits",
    "way_misses": "way_misses",
    "way_collisions": "way_collisions",
}


def pairs(report):
    """What tc and what tcc say of each qdisc, by where it hangs."""
    [shaper] = report["tcc"]["shapers"]
    ours = {one["at"]: one for one in (shaper["root"], *shaper["parts"])}
    theirs = {one.get("parent", "root"): one for one in report["tc"]}
    assert ours.keys() == theirs.keys()
    return [(theirs[at], ours[at]) for at in theirs]


@pytest.mark.parametrize("setup", SETUPS)
def test_what_every_qdisc_counts_is_what_tc_says(guest_report, setup):
    for theirs, ours in pairs(guest_report[setup]):
        assert ours["kind"] == theirs["kind"]
        assert ours["handle"] == theirs["handle"]
        assert {name: ours[GENERIC[name]] for name in GENERIC} == {
            name: theirs[name] for name in GENERIC
        }
        assert theirs["packets"] > 0 or "parent" in theirs  # a queue may get no flow


@pytest.mark.parametrize("setup", SETUPS)
def test_a_rate_is_what_tc_says_in_bits(guest_report, setup):
    for theirs, ours in pairs(guest_report[setup]):
        rate = theirs["options"].get("bandwidth", theirs["options"].get("rate"))
        expected = 8 * rate if isinstance(rate, int) else None
        assert ours["bandwidth_bit_s"] == expected


@pytest.mark.parametrize("setup", [name for name in SETUPS if "cake" in name])
def test_what_every_tin_counts_is_what_tc_says(guest_report, setup):
    seen = 0
    for theirs, ours in pairs(guest_report[setup]):
        if theirs["kind"] != "cake":
            continue
        assert ours["memory"] == {
            "used_bytes": theirs["memory_used"],
            "limit_bytes": theirs["memory_limit"],
            "peak": True,
        }
        assert (ours["capacity_bit_s"] or 0) == 8 * theirs["capacity_estimate"]
        assert (ours["active_queues"] or 0) == theirs["active_queues"]
        assert len(ours["tins"]) == len(theirs["tins"])
        for tin, told in zip(ours["tins"], theirs["tins"], strict=True):
            seen += told["sent_packets"]
            assert tin["threshold_bit_s"] == 8 * told["threshold_rate"]
            assert {name: tin[PER_TIN[name]] for name in PER_TIN} == {
                name: told[name] for name in PER_TIN
            }
    assert seen >= 2400  # what was sent


def test_something_was_dropped_and_marked_in_every_tin(guest_report):
    [(theirs, _)] = pairs(guest_report["cake diffserv4"])
    assert all(tin["drops"] and tin["ecn_mark"] for tin in theirs["tins"])


def test_a_cake_mq_is_the_sum_of_its_queues(guest_report):
    root, *queues = [ours for _, ours in pairs(guest_report["cake_mq"])]
    theirs = [one for one in guest_report["cake_mq"]["tc"] if one["kind"] == "cake"]
    assert len(queues) == len(theirs) == 4
    for number, tin in enumerate(root["tins"]):
        column = [one["tins"][number] for one in theirs]
        for added in ("sent_bytes", "sent_packets", "drops", "ecn_mark", "bulk_flows"):
            assert tin[PER_TIN[added]] == sum(one[added] for one in column)
        assert tin["peak_delay_us"] == max(one["peak_delay_us"] for one in column)
    assert root["memory"]["used_bytes"] == sum(one["memory_used"] for one in theirs)


def test_fq_codel_marks_are_what_tc_says(guest_report):
    [theirs] = [one for one in guest_report["tbf and fq_codel"]["tc"] if one["kind"] == "fq_codel"]
    [ours] = [one for _, one in pairs(guest_report["tbf and fq_codel"]) if one["at"] == "1:1"]
    assert ours["marked_packets"] == theirs["ecn_mark"] > 0
    assert ours["memory"]["used_bytes"] == theirs.get("memory_used", 0)  # tc leaves 0 out


def test_names_of_tins_are_those_that_tc_heads_its_columns_with(guest_report):
    names = {
        setup: [tin["name"] for tin in ours["tins"]]
        for setup in ("cake besteffort", "cake diffserv3", "cake diffserv4")
        for _, ours in pairs(guest_report[setup])
    }
    assert names == {
        "cake besteffort": ["besteffort"],
        "cake diffserv3": ["bulk", "besteffort", "voice"],
        "cake diffserv4": ["bulk", "besteffort", "video", "voice"],
    }


@pytest.mark.parametrize("setup", SETUPS)
def test_metrics_say_the_same(guest_report, setup):
    report = guest_report[setup]
    samples = [
        one for family in text_string_to_metric_families(report["metrics"])
        for one in family.samples
    ]  # fmt: skip
    [shaper] = report["tcc"]["shapers"]
    for one in (shaper["root"], *shaper["parts"]):
        for tin in one["tins"]:
            where = {"at": one["at"], "tin": tin["name"], "device": "v0"}
            found = {
                sample.name: sample.value for sample in samples
                if where.items() <= sample.labels.items()
            }  # fmt: skip
            assert found["tcc_tin_arrived_bytes_total"] == tin["arrived_bytes"]
            assert found["tcc_tin_peak_delay_seconds"] == tin["peak_delay_us"] / 10**6
