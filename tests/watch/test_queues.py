"""A watch on the 7.3 kernel while the number of a device's queues changes, cake_mq on them."""

from pathlib import Path

import pytest

GUEST = Path(__file__).with_name("guest_queues.py")
MQ = "cake_mq"
STEPS = {
    # what happens to the device: what is on it then, repairs so far, queues that work
    "one queue": (["cake"], 1, 1),
    "made anew with four": ([MQ] + ["cake"] * 4, 2, 4),
    "two of four work": ([MQ] + ["cake"] * 2, 2, 2),
    "all four work again": ([MQ] + ["cake"] * 4, 2, 4),
    "made anew with two": ([MQ] + ["cake"] * 2, 3, 2),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_device_gets_what_its_queues_allow(guest_report, step):
    """The kernel itself lets the CAKEs of a cake_mq come and go (mq_change_real_num_tx())."""
    found = guest_report["steps"][step]
    kinds, repairs, working = STEPS[step]
    assert found["kinds"]["v0"] == kinds
    assert found["repairs"] == repairs
    assert found["working"] == working


def test_packets_pass_all_the_while_and_the_watch_lives(guest_report):
    assert all(found["reached"] and found["alive"] for found in guest_report["steps"].values())
    assert guest_report["status"] == 0
    assert "keeps changing" not in guest_report["log"]
