"""Objectives become scenarios: flent's definitions, hosts, marks, probes."""

from collections import Counter

import pytest

from tcc import api
from tcc.lower import lower_policy
from tcc.source import Source
from tcc.verify import Scenario, scenarios

HEAD = """
link wan {{
    device "eth0"
    role router
    egress {{ bandwidth 10mbit; tiers {tiers} }}
    ingress {{ bandwidth 40mbit }}
}}
{more}
objective "o" {{ under {under}; require {require} }}
"""


def scenario(
    under: str,
    require: str = "egress utilisation >= 1%",
    more: str = "",
    tiers: str = "diffserv4",
) -> Scenario:
    text = HEAD.format(under=under, require=require, more=more, tiers=tiers)
    built = api.load(Source("p.tcc", text))
    assert built.policy, built.found
    (made,) = scenarios(built.policy, lower_policy(built.policy, None, built.spans)[0])
    return made


def test_rrul_is_flents_rrul():
    """rrul.conf: TCP both ways as BE, BK (CS1), CS5, EF; UDP pings BE, BK, EF; an ICMP ping."""
    flows = scenario("rrul").flows
    load = Counter((flow.direction, flow.dscp) for flow in flows if flow.kind == "tcp")
    assert load == {(way, mark): 1 for way in ("egress", "ingress") for mark in (0, 8, 40, 46)}
    assert sorted(flow.dscp for flow in flows if flow.kind == "ping") == [0, 0, 8, 46]
    assert {flow.interval for flow in flows} == {200_000_000}


def test_rrul_be_marks_nothing():
    flows = scenario("rrul_be").flows
    assert {flow.dscp for flow in flows} == {0}
    assert Counter(flow.kind for flow in flows) == {"tcp": 8, "ping": 4}


@pytest.mark.parametrize(("name", "way"), [("tcp_nup", "egress"), ("tcp_ndown", "ingress")])
def test_streams_with_a_ping(name: str, way: str):
    flows = scenario(f"{name} 12 flows").flows
    assert Counter((flow.kind, flow.direction) for flow in flows) == {
        ("tcp", way): 12,
        ("ping", None): 1,
    }


def test_each_from_brings_hosts_of_its_own():
    more = "workload crowd { tcp upload 4 flows from 2 hosts; tcp upload 1 flow from 1 host }"
    hosts = [flow.host for flow in scenario("crowd", more=more).flows]
    assert hosts == [1, 2, 1, 2, 3]


def test_a_total_rate_is_shared():
    more = "workload flood { udp upload 4 flows 10mbit total }"
    assert {flow.rate for flow in scenario("flood", more=more).flows} == {2_500_000}


def test_a_tier_marks_its_packets():
    more = "tier video { match dscp cs4 }"
    flows = scenario("tcp_nup 1 flow", more=more).flows
    assert [flow.dscp for flow in flows] == [0, 0]
    load = "\nworkload v { udp upload 1 flow 1mbit each dscp cs4 }\n"
    (flow,) = scenario("v", more=more + load).flows
    assert (flow.sent_dscp, flow.dscp, flow.tier) == (32, 34, "video")


def test_a_tier_that_nothing_probes_gets_a_ping():
    more = "tier voice { match udp remote port 3478 }"
    flows = scenario("tcp_nup", "voice latency p99 <= 90ms", more).flows
    probes = [flow for flow in flows if flow.tier == "voice"]
    assert [(flow.kind, flow.dscp) for flow in probes] == [("ping", 46)]


def test_a_tier_that_rrul_probes_gets_none():
    flows = scenario("rrul", "voice latency p99 <= 90ms", "tier voice { match dscp ef }").flows
    assert sum(flow.kind == "ping" for flow in flows) == 4


def test_time_and_path_as_written():
    made = scenario("rrul for 7s rtt 33ms")
    assert (made.duration, made.rtt) == (7_000_000_000, 33_000_000)
