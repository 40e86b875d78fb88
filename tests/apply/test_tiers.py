"""Tiers through a router with NAT, on the 7.3 kernel: CAKE's own counters say who is where."""

from pathlib import Path

import pytest

GUEST = Path(__file__).with_name("guest_tiers.py")
PACKETS = 20
STRAYS = 3  # ARP (which CAKE puts into Voice), neighbour discovery, the end of a TCP before
TIN = {
    "plain": "besteffort",
    "plain 6": "besteffort",
    "voice by port": "voice",
    "voice by port 6": "voice",
    "voice by dscp": "voice",
    "voice by dscp 6": "voice",
    "video by address before NAT": "video",
    "video by subnet 6": "video",
    "bulk": "bulk",
    "bulk 6": "bulk",
}


def test_it_is_applied_once_and_put_back_to_the_byte(guest_report):
    assert guest_report["apply"] == ["DONE", [], ["add"] * 6]
    assert guest_report["again"] == ["UNCHANGED", [], []]
    assert guest_report["back"] == ["DONE", "DONE"]
    assert guest_report["exact"], (guest_report["was"], guest_report["is"])


def test_the_filter_restores_before_it_redirects(guest_report):
    lines = [line.strip() for line in guest_report["filter"].splitlines()]
    first, second = (line for line in lines if line.startswith("action order"))
    assert "ctinfo zone 0 pipe" in first
    assert "mirred (Egress Redirect to device ifb-wan0)" in second
    assert any("dscp 0x0000003f 0x00000080" in line for line in lines)


@pytest.mark.parametrize("direction", ["egress", "ingress"])
@pytest.mark.parametrize("flow", TIN)
def test_a_flow_is_in_its_tin(guest_report, flow, direction):
    grown = dict(guest_report["flows"][flow][direction])
    assert PACKETS <= grown.pop(TIN[flow]) <= PACKETS + 6  # TCP: opening, closing, acknowledging
    assert sum(grown.values()) <= STRAYS


@pytest.mark.parametrize(
    ("flow", "tos", "source"),
    [
        # RFC 3246: EF is 46; RFC 2597: AF41 is 34; the TOS byte is four times that
        ("plain", 0, "::ffff:198.51.100.1"),  # the router's address: it has been translated
        ("voice by port", 46 << 2, "::ffff:198.51.100.1"),
        ("voice by port 6", 46 << 2, "fd01::2"),
        ("video by address before NAT", 34 << 2, "::ffff:198.51.100.1"),
    ],
)
def test_what_leaves_bears_the_mark(guest_report, flow, tos, source):
    assert guest_report["flows"][flow]["seen there"] == [f"{tos} {source}"]


@pytest.mark.parametrize("flow", [flow for flow in TIN if not flow.startswith("bulk")])
def test_what_comes_in_is_sorted_and_then_washed(guest_report, flow):
    assert guest_report["flows"][flow]["seen here"] == [0]


def test_a_stream_that_only_comes_in_is_known_from_its_second_packet_on(guest_report):
    assert guest_report["pushed"]["voice"] == PACKETS - 1


def test_rules_that_somebody_flushed_are_healed(guest_report):
    assert guest_report["healed"] == ["DONE", [], ["change"]]


def test_cake_mq_sorts_ipv4_by_dscp_with_our_filter_and_not_without(guest_report):
    assert guest_report["queues"][0] == "DONE"
    with_filter, without = guest_report["priorities"]
    assert with_filter["video"] == PACKETS
    assert without["besteffort"] == PACKETS  # the trap: AF41 has the priority 2


def test_an_ifb_of_one_queue_is_made_anew_for_cake_mq_and_comes_back_as_it_was(guest_report):
    assert guest_report["one queue"] == ["DONE", ["cake"]]
    steps = ["delete", "delete", "add", "replace", "add", "change", "add", "add"]
    assert guest_report["mq apply"][2] == steps
    back, same, flow = guest_report["single again"]
    assert (back, same) == ("DONE", True)
    assert (flow["egress"], flow["ingress"]) == ({"voice": PACKETS}, {"voice": PACKETS})


def test_cake_mq_shapes_both_directions(guest_report):
    """A kernel for one processor tells of one receive queue (rtnl_fill_ifinfo(), CONFIG_RPS)."""
    assert guest_report["mq apply"][0] == "DONE"
    assert guest_report["mq again"] == ["UNCHANGED", guest_report["mq again"][1], []]
    assert guest_report["mq kinds"] == [["cake_mq"] + ["cake"] * 4, ["cake_mq"] + ["cake"] * 2]


def test_a_link_may_name_other_bits_of_the_mark(guest_report):
    """The flows of cake_mq are then sorted by these."""
    assert "dscp 0x00003f00 0x00004000" in guest_report["mq filter"]


@pytest.mark.parametrize("direction", ["egress", "ingress"])
@pytest.mark.parametrize("flow", TIN)
def test_a_flow_is_in_its_tin_of_cake_mq(guest_report, flow, direction):
    grown = dict(guest_report["mq flows"][flow][direction])
    assert PACKETS <= grown.pop(TIN[flow]) <= PACKETS + 6
    assert sum(grown.values()) <= STRAYS
