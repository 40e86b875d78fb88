"""The engine does to every train what the kernel was recorded to do."""

from __future__ import annotations

import pytest

from tests.engine.kernel.agree import RESOLUTION, compare
from tests.engine.kernel.trains import TRAINS, recording

RECORDED = recording()


@pytest.mark.parametrize("name", TRAINS)
def test_engine_agrees_with_the_recorded_kernel(name):
    train, taken = TRAINS[name], RECORDED["trains"][name]
    assert compare(train, taken, RECORDED["truesizes"]).found == []


def test_every_train_was_recorded_and_nothing_else():
    assert RECORDED["trains"].keys() == TRAINS.keys()
    assert len(TRAINS) >= 40


def test_a_wrong_recording_is_noticed():
    """The comparison itself: one frame, one counter, one time changed."""
    name = "tbf 10mbit, burst 5000"
    taken = RECORDED["trains"][name]
    for spoil in (
        lambda: taken["seen"][5].__setitem__(1, 99),
        lambda: taken["seen"][5].__setitem__(3, 3),
        lambda: taken["seen"][5].__setitem__(0, taken["seen"][5][0] + 2 * RESOLUTION),
        lambda: taken["looks"][0]["counters"][0].__setitem__("drops", 1),
        lambda: taken["sent"][5].__setitem__(2, "No buffer space available"),
    ):
        kept = str(taken)
        spoil()
        assert str(taken) != kept
        assert len(compare(TRAINS[name], taken, RECORDED["truesizes"]).found) == 1
        taken.clear()
        taken.update(recording()["trains"][name])
