"""Changes on trial: undone in time whatever happens, kept when confirmed, one timer."""

import os
import pty
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tcc.apply import boottime
from tcc.apply.identity import Identity
from tcc.apply.journal import Journal
from tcc.apply.pending import Pending
from tcc.apply.process import Process, this
from tests.apply.confirm_world import World, open_files, status_of, until
from tests.apply.faults import Refusing, transport

ROOT = Path(__file__).parents[2]
TCC = [sys.executable, "-P", "-m", "tcc"]
DYING = [sys.executable, str(ROOT / "tests/apply/dying_apply.py")]


@pytest.fixture
def world(netns, tmp_path, monkeypatch):
    made = World(netns, tmp_path)
    monkeypatch.setenv("TCC_STATE_DIR", str(made.state))
    yield made
    made.tcc("confirm")
    assert until(lambda: made.guard() is None)


def test_what_nobody_confirms_is_undone(world):
    before = world.shown()
    status, said = world.apply("--confirm", "1s")
    assert status == 0
    assert "unless `tcc confirm` comes" in said
    assert world.rate() == 30
    assert until(lambda: world.guard() is None)
    assert world.shown() == before
    assert world.reached()
    assert world.journal.pending() is None
    assert world.journal.steps() == []
    status, said = world.tcc("confirm")
    assert status == 1
    assert "nothing-to-confirm" in said
    assert "nobody had confirmed it" in said


def test_what_is_confirmed_stays_and_can_still_be_rolled_back(world):
    before = world.shown()
    assert world.apply("--confirm", "2s")[0] == 0
    made = world.shown()
    status, said = world.tcc("confirm")
    assert status == 0
    assert "Confirmed." in said
    assert until(lambda: world.guard() is None, 1.5)
    time.sleep(2)
    assert world.shown() == made
    assert world.tcc("rollback")[0] == 0
    assert world.shown() == before


def test_two_minutes_are_meant_where_no_time_is_given(world):
    world.apply("--confirm")
    left = world.journal.pending().deadline - boottime.now()
    assert 110e9 < left <= 120e9


@pytest.mark.parametrize("words", [("--confirm", "60"), ("--confirm", "10ms"), ("--confirm=9x",)])
def test_a_time_without_a_unit_or_sense_is_refused(world, words):
    status, said = world.apply(*words)
    assert status == 2
    assert "Invalid value for '--confirm'" in said


def test_a_file_behind_confirm_is_told_apart_from_a_time(world):
    status, said = world.tcc("apply", "--yes", "--confirm", str(world.policy))
    assert status == 2
    assert "write --confirm=60s, or --confirm behind FILE" in " ".join(said.split())


def test_the_guard_is_there_before_the_first_request_and_outlives_a_killed_apply(world):
    """Killed before its first request, and half way: undone at once, long before the deadline."""
    before = world.shown()
    for number in (0, 3):
        words = ["apply", str(world.policy), "--yes", "--confirm", "600s", "--netns"]
        died = subprocess.run(
            [*DYING, str(number), *words, world.here.name], capture_output=True, check=False
        )
        assert died.returncode == -signal.SIGKILL, died.stderr
        assert world.journal.guard() is not None
        assert until(lambda: world.guard() is None)
        assert world.shown() == before
        assert world.journal.pending() is None
        assert world.journal.unfinished() is None
        assert world.reached()


def test_who_died_before_the_guard_was_there_has_left_nothing(world):
    """The document says that something is pending, and nothing is."""
    before = world.shown()
    steps = [sys.executable, str(ROOT / "tests/apply/dying_step.py")]
    words = ["apply", str(world.policy), "--yes", "--confirm", "600s", "--netns", world.here.name]
    for number in range(20):
        died = subprocess.run([*steps, str(number), *words], capture_output=True, check=False)
        assert died.returncode == -signal.SIGKILL
        if world.journal.pending() is not None:
            break
    assert world.journal.guard() is None
    assert world.shown() == before
    assert "nothing-to-confirm" in world.tcc("confirm")[1]
    assert "nothing-to-roll-back" in world.tcc("rollback")[1]
    assert world.apply()[0] == 0


def test_the_terminal_goes_and_the_timer_stays(world):
    """The terminal is hung up and everything in its session killed."""
    before = world.shown()
    words = ["apply", str(world.policy), "--yes", "--confirm", "6s", "--netns", world.here.name]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(TCC[0], [*TCC, *words])
    shown = b""
    while b"unless `tcc confirm`" not in shown:
        shown += os.read(terminal, 4096)
    guard = world.guard()
    found = status_of(guard)
    assert found["terminal"] == 0
    assert found["session"] not in {child, os.getsid(0)}
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        assert found["ignored"] >> (number - 1) & 1
        assert guard.send(number)
    leads = open_files(guard)
    assert leads[0] == leads[1] == "/dev/null"
    assert not [where for where in leads.values() if "pts" in where or "ptmx" in where]
    assert not [where for where in leads.values() if where.endswith("/lock")]
    os.close(terminal)
    os.waitpid(child, 0)
    assert guard.alive()
    assert world.rate() == 30
    assert until(lambda: world.guard() is None)
    assert world.shown() == before


def test_the_timer_knows_no_clock_that_can_be_set(world):
    """fdinfo of a timer descriptor names its clock; 7 is CLOCK_BOOTTIME (proc_pid_fdinfo(5))."""
    world.apply("--confirm", "60s")
    guard = world.guard()
    timers = [number for number, where in open_files(guard).items() if "timerfd" in where]
    told = Path(f"/proc/{guard.pid}/fdinfo/{timers[0]}").read_text()
    assert "clockid: 7\n" in told
    seconds = int(told.partition("it_value: (")[2].partition(",")[0])
    assert 40 < seconds <= 60
    poll = [number for number, where in open_files(guard).items() if "pidfd" in where]
    assert len(poll) <= 1


def test_a_failed_apply_leaves_no_timer(world):
    before = world.shown()
    Refusing.at, Refusing.seen = 2, 0
    with transport(Refusing):
        status, said = world.apply("--confirm", "60s")
    assert status == 3, said
    assert world.shown() == before
    assert world.journal.pending() is None
    assert until(lambda: world.guard() is None, 5)


def test_nothing_to_do_is_nothing_to_confirm(world):
    assert world.apply()[0] == 0
    status, said = world.apply("--confirm", "60s")
    assert status == 0
    assert "Nothing to do" in said
    assert world.journal.pending() is None
    assert world.journal.guard() is None


def test_a_second_one_goes_on_with_the_first_under_one_timer(world):
    before = world.shown()
    world.apply("--confirm", "60s")
    first, guard = world.journal.pending(), world.guard()
    world.write(40)
    assert world.apply("--confirm", "2s")[0] == 0
    second = world.journal.pending()
    assert (second.id, second.first) == (first.id, first.first)
    assert second.deadline < first.deadline
    assert world.guard() == guard
    assert world.rate() == 40
    assert until(lambda: world.guard() is None)
    assert world.shown() == before


def test_a_second_one_that_fails_leaves_the_first_on_trial(world):
    world.apply("--confirm", "60s")
    first, made = world.journal.pending(), world.shown()
    world.write(40)
    Refusing.at, Refusing.seen = 0, 0
    with transport(Refusing):
        assert world.apply("--confirm", "300s")[0] == 3
    assert world.journal.pending() == first
    assert world.shown() == made
    assert world.guard() is not None


def test_nothing_else_begins_while_something_is_on_trial(world):
    world.apply("--confirm", "60s")
    world.write(40)
    for status, said in (world.apply(), world.tcc("remove", "--yes")):
        assert status == 1
        assert "unconfirmed-change" in said
        assert "tcc confirm" in said
    assert world.rate() == 30
    world.write(30)
    status, said = world.apply()
    assert status == 0
    assert "still to be confirmed" in said


def test_rollback_undoes_all_that_is_on_trial_and_the_timer(world):
    assert world.apply()[0] == 0
    confirmed = world.shown()
    for rate in (40, 50):
        world.write(rate)
        world.apply("--confirm", "60s")
    status, said = world.tcc("rollback")
    assert status == 0, said
    assert said.count("undone: ") == 2
    assert world.shown() == confirmed
    assert world.journal.pending() is None
    assert until(lambda: world.guard() is None, 5)


def test_one_step_back_leaves_the_rest_on_trial(world):
    world.apply("--confirm", "60s")
    world.write(40)
    world.apply("--confirm", "60s")
    assert world.tcc("rollback", "--steps", "1")[0] == 0
    assert world.rate() == 30
    assert world.journal.pending() is not None
    assert world.tcc("rollback", "--steps", "1")[0] == 0
    assert world.journal.pending() is None


def test_a_guard_that_shall_end_undoes_at_once(world):
    before = world.shown()
    world.apply("--confirm", "600s")
    assert world.guard().send(signal.SIGTERM)
    assert until(lambda: world.guard() is None)
    assert world.shown() == before


def test_a_guard_that_was_killed_is_replaced_by_the_next_trial(world):
    world.apply("--confirm", "600s")
    killed = world.guard()
    assert killed.send(signal.SIGKILL)
    assert until(lambda: not killed.alive())
    world.write(40)
    assert world.apply("--confirm", "600s")[0] == 0
    assert world.guard() is not None
    assert world.guard() != killed


def test_without_a_guard_nothing_is_changed(world, monkeypatch):
    before = world.shown()
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/bin/false")
        status, said = world.apply("--confirm", "60s")
    assert status == 1
    assert "confirm-unavailable" in said
    assert "false ended with 1" in said
    assert world.shown() == before
    assert world.journal.pending() is None


def test_the_timer_waits_for_the_lock_and_then_looks_again(world):
    """Whoever holds the lock at the deadline finishes; a new deadline set by then counts."""
    world.apply("--confirm", "1s")
    with world.journal.held("a slow change"):
        time.sleep(2.5)
        assert world.rate() == 30
        later = replace(world.journal.pending(), deadline=boottime.now() + 600 * 10**9)
        world.journal.arm(later)
    time.sleep(2)
    assert world.rate() == 30
    assert world.guard() is not None


def test_what_was_only_tried_is_not_what_is_confirmed(world):
    """What applies by itself after a reboot asks `kept`: it knows the text confirmed last."""
    world.apply()
    (document,) = (world.state / "kept").iterdir()
    confirmed = document.read_bytes()
    world.write(40)
    world.apply("--confirm", "60s")
    key = f"{world.here.name}:{world.policy}"
    tried = world.journal.known(key)
    assert tried.confirmed is not None
    assert '"30mbit"' in tried.confirmed
    assert len(tried.rejected) == 1
    assert document.read_bytes() != confirmed
    world.tcc("confirm")
    assert '"40mbit"' in world.journal.known(key).confirmed
    assert world.journal.known(key).rejected == ()
    world.tcc("rollback")
    assert '"30mbit"' in world.journal.known(key).confirmed
    assert len(world.journal.known(key).rejected) == 1


LIFE = Identity(4, 4026531840, "this boot", 1)


def test_after_a_reboot_nothing_is_pending(tmp_path):
    journal = Journal(tmp_path, LIFE)
    pending = Pending("01", 1, 5, "soon", "tcc apply", Process(1, 1), LIFE.boot)
    with journal.held("tcc apply"):
        journal.arm(pending)
    assert journal.pending() == pending
    rebooted = Journal(tmp_path, replace(LIFE, boot="the next boot"))
    assert rebooted.pending() is None
    with rebooted.held("tcc apply"):
        assert not (rebooted.path / "pending").exists()


def test_a_process_number_given_again_is_another_process():
    me = this()
    assert me.alive()
    assert not Process(me.pid, me.start + 1).alive()
    assert Process(me.pid, me.start + 1).descriptor() is None
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = Process(child.pid, int(Path(f"/proc/{child.pid}/stat").read_text().split()[21]))
    assert found.alive()
    child.communicate(b"\n")
    assert not found.alive()


def test_a_timer_fires_at_its_moment_and_at_once_when_that_is_over():
    import select

    with boottime.Timer() as timer:
        poll = select.poll()
        poll.register(timer, select.POLLIN)
        timer.set(boottime.now() + 200_000_000)
        assert not poll.poll(100)
        assert poll.poll(1000)
        timer.set(boottime.now() + 10**12)
        assert not poll.poll(0)
        timer.set(boottime.now() - 1)
        assert poll.poll(0)
