"""What `guest_clock.py` found out: no jump of the wall clock moves the end of a trial."""

from pathlib import Path

import pytest

GUEST = Path(__file__).with_name("guest_clock.py")
JUMPS = {"none": 0, "a year forward": 31_536_000, "a year back": -31_536_000}


@pytest.mark.parametrize("jump", JUMPS)
def test_a_trial_ends_when_it_should(guest_report, jump):
    found = guest_report[jump]
    assert found["status"] == 0, found["said"]
    assert abs(found["jumped"] - JUMPS[jump]) < 5
    assert found["still"]
    assert found["undone"]
    assert 55 <= found["took"] <= 65
