"""CAKE's options on a real kernel, against tc; the numbers of cases are printed by evidence."""

from pathlib import Path

import pytest

GUEST = Path(__file__).with_name("guest_cake.py")

DEFAULTS = {
    "BASE_RATE64": 0, "FLOW_MODE": 7, "RTT": 100_000, "TARGET": 5_000, "MEMORY": 0, "AUTORATE": 0,
    "INGRESS": 0, "ACK_FILTER": 0, "NAT": 0, "DIFFSERV_MODE": 0, "WASH": 0, "OVERHEAD": 0,
    "RAW": 0, "ATM": 0, "MPU": 0, "SPLIT_GSO": 1, "FWMARK": 0,
}  # fmt: skip


@pytest.mark.parametrize("space", ["cake", "cake_mq on 4 queues", "cake_mq on 8 queues"])
def test_bytes_words_and_tc_agree(guest_report, space):
    """Every word, preset and mode, and random settings: same `tc -j -d qdisc show`, same dump."""
    assert guest_report["cases"][space] > 100
    assert guest_report["differ"][space] == []


def test_comparison_can_fail(guest_report):
    assert any("tc's words: nonat" in line for line in guest_report["control"])


def test_settings_replace_all_of_a_live_qdisc(guest_report):
    """Change merges in the kernel; what is sent is complete, so nothing old is left."""
    assert guest_report["reset"] == []


def test_fresh_cake_dumps_all_attributes_in_order(guest_report):
    found = guest_report["stored"]["defaults"]
    assert found == DEFAULTS
    assert list(found) == list(DEFAULTS)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("flow mode", {"FLOW_MODE": 63}),
        ("diffserv 257", {"DIFFSERV_MODE": 1}),
        ("diffserv 7", {"DIFFSERV_MODE": 7}),
        ("overhead", {"OVERHEAD": 4464}),
        ("mpu", {"MPU": 4464}),
        ("autorate", {"AUTORATE": 1}),
        ("nat", {"NAT": 1}),
        ("times", {"RTT": 1, "TARGET": 1}),
        ("overhead and raw", {"OVERHEAD": 38, "RAW": 0}),
    ],
)
def test_kernel_cuts_in_silence(guest_report, name, kept):
    found = guest_report["stored"][name]
    assert {key: found[key] for key in kept} == kept


def test_kernel_looks_at_lengths_only(guest_report):
    assert guest_report["malformed"] == {
        "4-byte BASE_RATE64": "ERANGE",
        "2-byte DIFFSERV_MODE": "ERANGE",
        "0-byte RAW": "ERANGE",
        "8-byte DIFFSERV_MODE": "diffserv 1",
        "type 19": "diffserv 0",
    }


def test_why_everything_is_sent(guest_report):
    """A change keeps what it does not mention; ours leaves nothing."""
    found = guest_report["merged"]
    before = found["before"]
    assert before["MPU"] == 64
    assert found["only mpu 0"] == before | {"MPU": 0}
    assert found["tc replace unlimited"] == before | {"MPU": 0, "BASE_RATE64": 0}
    assert found["ours"] == DEFAULTS


def test_kernel_refuses_what_the_checks_refuse(guest_report):
    assert guest_report["refusals"] == {
        "one queue": "ENOTSUP None",
        "autorate": "ENOTSUP Can't use autorate-ingress with cake_mq",
    }
