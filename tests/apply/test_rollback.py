"""Steps back through the history, and what a damaged history still gives."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tcc.apply.history import lines
from tcc.apply.identity import Identity
from tcc.apply.journal import Journal
from tcc.apply.records import PolicyText, Record
from tcc.plan.state import MARKS, NOTHING, Place, RulesItem
from tests.apply.confirm_world import World
from tests.apply.faults import Refusing, transport

ROOT = Path(__file__).parents[2]
DYING = [sys.executable, str(ROOT / "tests/apply/dying_apply.py")]
RATES = (30, 40, 50)


@pytest.fixture
def world(netns, tmp_path, monkeypatch):
    made = World(netns, tmp_path)
    monkeypatch.setenv("TCC_STATE_DIR", str(made.state))
    return made


def applied(world):
    """Apply three policies; return what was there before the first and after each."""
    shown = [world.shown()]
    for rate in RATES:
        world.write(rate)
        assert world.apply()[0] == 0
        shown.append(world.shown())
    return shown


def test_each_rollback_goes_one_step_back(world):
    shown = applied(world)
    for before in reversed(shown[:-1]):
        status, said = world.tcc("rollback")
        assert status == 0, said
        assert world.shown() == before
    assert "nothing-to-roll-back" in world.tcc("rollback")[1]


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_steps_lead_straight_to_what_was_there(world, steps):
    shown = applied(world)
    status, said = world.tcc("rollback", "--steps", str(steps))
    assert status == 0, said
    assert said.count("undone: ") == steps
    assert world.shown() == shown[-1 - steps]
    assert len(world.journal.steps()) == len(RATES) - steps


def test_more_steps_than_there_are_lead_to_the_beginning(world):
    shown = applied(world)
    assert world.tcc("rollback", "--steps", "19")[0] == 0
    assert world.shown() == shown[0]


def test_nothing_in_between_is_there_again(world):
    """Three steps back take no more requests than the one way from here to there."""
    shown = applied(world)
    Refusing.at, Refusing.seen = 10**9, 0
    with transport(Refusing):
        assert world.tcc("rollback", "--steps", "3")[0] == 0
    assert world.shown() == shown[0]
    assert Refusing.seen == 4  # redirect, hook, ifb, root of a0


def test_the_list_has_the_newest_first_with_the_steps_it_takes(world):
    applied(world)
    status, said = world.tcc("rollback", "--list")
    assert status == 0
    listed = said.splitlines()
    assert [line.split()[0] for line in listed] == ["1", "2", "3"]
    assert all("on a0, ifb-a0" in line for line in listed)
    world.write(60)
    world.apply("--confirm", "60s")
    assert "unless confirmed)" in world.tcc("rollback", "--list")[1].splitlines()[0]
    world.tcc("confirm")


def test_a_rollback_killed_half_way_is_finished_by_the_next_one(world):
    shown = applied(world)
    for number in range(4):
        words = ["rollback", "--steps", "2", "--netns", world.here.name]
        died = subprocess.run([*DYING, str(number), *words], capture_output=True, check=False)
        if died.returncode == 0:
            break
        assert died.returncode == -signal.SIGKILL
        status, said = world.tcc("rollback")
        assert status == 0, said
        assert world.shown() == shown[1]
        assert len(world.journal.steps()) == 1
        for rate in RATES[1:]:
            world.write(rate)
            world.apply()
    assert number >= 1


def cut(world, number, length):
    os.truncate(world.journal.path / "history" / f"{number:06}", length)


def test_where_the_newest_change_is_damaged_an_older_one_leads_back(world):
    shown = applied(world)
    cut(world, 3, 100)
    status, said = world.tcc("rollback")
    assert status == 1
    assert "history-damaged" in said
    assert "`tcc rollback --steps 2`" in said
    assert world.shown() == shown[3]
    status, said = world.tcc("rollback", "--steps", "2")
    assert status == 0, said
    assert "stays as it is" in said
    assert world.shown() == shown[1]
    assert [step.number for step in world.journal.steps()] == [1]


def test_where_all_is_damaged_remove_is_the_cure(world):
    shown = applied(world)
    for number in (1, 2, 3):
        cut(world, number, 0)
    said = world.tcc("rollback", "--steps", "3")[1]
    assert "`tcc remove`" in said
    assert world.tcc("remove", "--yes")[0] == 0
    assert world.shown() == shown[0]


def test_what_is_pending_can_be_rolled_back_though_its_document_is_damaged(world):
    before = world.shown()
    world.apply("--confirm", "60s")
    guard = world.guard()
    os.truncate(world.journal.path / "pending", 50)
    status, said = world.tcc("rollback")
    assert status == 0, said
    assert "pending is damaged" in said
    assert world.shown() == before
    guard.send(signal.SIGTERM)


LIFE = Identity(4, 4026531840, "boot", 1)
MARKS_OF_WAN = Place("wan", MARKS)


def record(number):
    rules = RulesItem("tcc-wan", f"table inet tcc-wan {{ comment {number} }}")
    return Record(
        f"tcc apply {number}.tcc",
        "2026-11-30T13:00:00+00:00",
        {MARKS_OF_WAN: NOTHING},
        {MARKS_OF_WAN: rules},
        number=number,
        policy=PolicyText(":/etc/home.tcc", f'{{"version": {number}}}'),
    )


@pytest.mark.slow
def test_cut_at_any_byte_a_change_is_reported_and_no_other_is_lost(tmp_path):
    """What was complete before stays readable, whichever file is cut, wherever."""
    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply"):
        for number in (1, 2, 3):
            journal.begin(record(number))
            journal.commit(record(number))
    whole = {number: record(number) for number in (1, 2, 3)}
    tried = 0
    for number in whole:
        path = journal.path / "history" / f"{number:06}"
        text = path.read_bytes()
        for length in range(len(text)):
            path.write_bytes(text[:length])
            steps = {step.number: step for step in journal.steps()}
            assert steps[number].record is None
            assert str(path) in steps[number].trouble
            for other in {1, 2, 3} - {number}:
                assert steps[other].record == whole[other]
            tried += 1
        listed = "\n".join(lines(journal))
        assert f"change {number} cannot be read" in listed
        assert listed.count("tcc apply") == 2
        path.write_bytes(text)
    assert tried > 1500


@pytest.mark.parametrize("name", ["owned", "journal", "identity", "pending", "guard", "expired"])
def test_any_other_file_cut_at_any_byte_leaves_the_history_whole(tmp_path, name):
    """Where a file of the directory is cut the history is still there, and nothing is believed."""
    from tcc.apply.pending import Pending
    from tcc.apply.process import this
    from tcc.apply.stored import DamagedError

    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply"):
        journal.begin(record(1))
        journal.commit(record(1))
        journal.begin(record(2))
        journal.arm(Pending("01", 2, 5, "soon", "tcc apply", this(), LIFE.boot))
        journal.say_expired("something")
        from tcc.apply.journal import Guard

        journal.say_guard(Guard("01", this()))
    read = {
        "owned": journal.owned,
        "journal": journal.unfinished,
        "identity": journal.last,
        "pending": journal.pending,
        "guard": journal.guard,
        "expired": journal.expired,
    }[name]
    path = journal.path / name
    text = path.read_bytes()
    for length in range(len(text)):
        path.write_bytes(text[:length])
        if name in {"guard", "expired"}:  # nothing depends on them
            assert not read()
            continue
        with pytest.raises(DamagedError, match=name):
            read()
    path.write_bytes(text)
    assert read() is not None
    assert journal.last() == record(1)


def test_the_history_and_what_is_kept_stay_small(tmp_path):
    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply"):
        for number in range(1, 31):
            change = replace(record(1), number=number, command=f"change {number}")
            journal.begin(change)
            journal.commit(change)
        for number in range(30):
            journal.reject(PolicyText(":/etc/home.tcc", f"{number}", "before"))
    assert len(list((journal.path / "history").iterdir())) == 20
    assert len(list((tmp_path / "kept").iterdir())) == 1
    assert len(journal.known(":/etc/home.tcc").rejected) == 20
