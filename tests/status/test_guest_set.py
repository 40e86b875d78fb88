"""`tcc set` on the 7.3 kernel's CAKE while packets pass: none is lost, counters go on."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.uml
GUEST = Path(__file__).with_name("guest_set.py")
PACKETS = 1500
RATES = {
    "18mbit": 2_250_000, "9mbit": 1_125_000, "30mbit": 3_750_000, "12.5mbit": 1_562_500,
    "40mbit": 5_000_000, "6mbit": 750_000,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["cake", "cake_mq"])
def test_no_packet_is_lost_and_counters_go_on(guest_report, kind):
    found = guest_report[kind]
    assert found["received"] == PACKETS
    assert found["after"]["drops"] == found["before"]["drops"] == 0
    packets = [found["before"]["packets"], *(one[4] for one in found["seen"])]
    assert packets == sorted(packets)
    assert found["after"]["packets"] - found["before"]["packets"] >= PACKETS
    assert {one[5] for one in found["seen"]} == {found["before"]["handle"]}


@pytest.mark.parametrize("kind", ["cake", "cake_mq"])
def test_each_rate_was_in_force_at_once(guest_report, kind):
    assert [one[:4] for one in guest_report[kind]["seen"]] == [
        [rate, "DONE", [], bytes_a_second] for rate, bytes_a_second in RATES.items()
    ]
    moving = [one[4] for one in guest_report[kind]["seen"]]
    assert moving[-1] - moving[0] > PACKETS / 4  # packets really passed in between


def test_what_was_set_is_no_drift(guest_report):
    assert guest_report["drift"] == ["none", ["6mbit"], []]
    # the second policy was about egress alone, so what was set of ingress still holds
    assert guest_report["cake_mq drift"] == ["none", ["7mbit", "6mbit"], []]


def test_the_aqm_can_be_set_as_well(guest_report):
    assert guest_report["rtt"] == [["DONE", []], 20_000]
    assert guest_report["ack-filter"] == [["DONE", []], "enabled"]
    assert guest_report["ingress"] == ["DONE", []]


def test_what_would_lose_packets_is_refused(guest_report):
    outcome, [why] = guest_report["tiers"]
    assert outcome == "REFUSED"
    assert "what can: ack-filter, bandwidth, rtt" in why


def test_a_rate_outside_the_bounds_is_refused(guest_report):
    outcome, [why] = guest_report["outside"]
    assert outcome == "REFUSED"
    assert "5mbit..40mbit" in why


def test_a_daemon_inside_the_bounds_is_no_drift_and_outside_it_is(guest_report):
    assert guest_report["daemon"][0] == "none"
    assert guest_report["daemon outside"][::2] == [
        "drifted", ["v0 root bandwidth 44000000bit"],
    ]  # fmt: skip
