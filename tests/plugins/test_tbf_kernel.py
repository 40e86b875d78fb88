"""tbf and the queues inside it on a real kernel, against tc."""

from pathlib import Path

import pytest

GUEST = Path(__file__).with_name("guest_tbf.py")


@pytest.mark.parametrize("space", ["options", "inner", "random"])
def test_bytes_words_and_tc_agree(guest_report, space):
    """Every option (peak, atm, overhead, above 34 Gbit/s, each inner kind), and random settings."""
    assert guest_report["cases"][space] >= 13
    assert guest_report["differ"][space] == []


def test_comparison_can_fail(guest_report):
    assert any("tc's words" in line for line in guest_report["control"])


def test_which_kinds_change_in_place(guest_report):
    """What `changes_in_place` of the plugins says."""
    assert guest_report["in place"] == {
        "tbf": "changed",
        "sfq": "refused",
        "fq_codel": "refused",
        "pfifo": "changed",
    }


def test_fifo_keeps_its_limit_when_tbf_changes(guest_report):
    """A change of tbf writes its limit into a FIFO inside, bytes or packets."""
    assert guest_report["fifo after change"] == {"bfifo": [], "pfifo": []}


def test_a_fresh_tbf_holds_the_fifo_that_we_ask_for(guest_report):
    assert guest_report["own fifo"] == {"kind": "bfifo", "handle": "none", "limit": 328_884}


def test_what_is_read_restores(guest_report):
    assert guest_report["restored"] == []


def test_kernel_refuses_what_the_checks_refuse(guest_report):
    assert guest_report["refusals"] == {
        "peak not above rate": "Invalid argument",
        "sfq divisor": "Invalid argument",
        "sfq limit 1": "sch_sfq: invalid limit",
        "fq_codel flows": "Invalid argument",
    }
