"""When somebody who keeps changing a device is given way."""

from tcc.watch.patience import CALM, LONGEST, Patience


def pauses(patience, times, index=4):
    return [patience.repaired("wan", index, moment) for moment in times]


def test_three_repairs_are_free_then_each_pause_is_twice_the_last():
    assert pauses(Patience(), range(8)) == [0, 0, 1, 2, 4, 8, 16, 32]


def test_a_pause_has_an_end():
    patience = Patience()
    moment = 0.0
    for _ in range(40):
        pause = patience.repaired("wan", 4, moment)
        moment += pause + 1
    assert pause == LONGEST
    assert patience.due("wan", 4, moment) - (moment - pause - 1) == LONGEST + 1


def test_until_then_nothing_is_due_and_another_device_is():
    patience = Patience()
    pauses(patience, [0, 0, 10])
    assert patience.due("wan", 4, 10.5) == 11
    assert patience.due("wan", 4, 12) == 12
    assert patience.due("lan", 5, 10.5) == 10.5


def test_a_device_made_anew_starts_anew():
    patience = Patience()
    pauses(patience, [0, 0, 0, 0])
    assert patience.due("wan", 9, 0) == 0
    assert pauses(patience, [0], index=9) == [0]


def test_after_a_calm_time_all_is_forgotten():
    patience = Patience()
    pauses(patience, [0, 0, 0, 0])
    assert patience.due("wan", 4, CALM) == CALM
    assert pauses(patience, [CALM, CALM, CALM]) == [0, 0, 1]


def test_only_what_is_kept_is_remembered():
    patience = Patience()
    pauses(patience, [0, 0, 0, 0])
    patience.forget_all_but({"lan"})
    assert patience.due("wan", 4, 0) == 0
