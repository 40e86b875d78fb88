"""The state directory: what is there after every way in which a change can end."""

import multiprocessing
import os
import time
from dataclasses import replace

import pytest

from tcc.apply.identity import Identity, identify
from tcc.apply.journal import DEPTH, Journal, UntrustedDirectoryError
from tcc.apply.lock import BusyError
from tcc.apply.records import Owned, Record
from tcc.apply.stored import DamagedError
from tcc.netlink.namespace import Namespace
from tcc.plan.state import Place, QdiscItem

LIFE = Identity(4, 4026531840, "boot", 1)
ROOT = Place("eth0", "root")
NOQUEUE = QdiscItem("noqueue", 0, default=True)
STRANGE = QdiscItem("strange", 1 << 16, None, b"\x01\x02", sized=True, path=("links", 0))
RECORD = Record(
    "tcc apply home.tcc",
    "2026-11-30T13:00:00+00:00",
    {ROOT: NOQUEUE},
    {ROOT: STRANGE},
    {},
    {Place("eth0", "root"): Owned("wan", "strange", 1 << 16)},
    number=1,
)


def test_a_change_that_begins_is_unfinished_until_it_is_complete(tmp_path):
    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply home.tcc"):
        assert journal.unfinished() is None
        journal.begin(RECORD)
        assert journal.unfinished() == RECORD
        journal.commit(RECORD)
        assert journal.unfinished() is None
        assert journal.last() == RECORD
        assert journal.owned() == RECORD.owned_after


def test_a_change_that_was_taken_back_leaves_nothing(tmp_path):
    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply home.tcc"):
        journal.begin(RECORD)
        journal.undone(RECORD)
        assert journal.unfinished() is None
        assert journal.last() is None
        assert journal.owned() == {}


def test_what_is_taken_back_leaves_the_history_only_when_that_is_done(tmp_path):
    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply home.tcc"):
        for number in (1, 2, 3):
            journal.begin(replace(RECORD, number=number))
            journal.commit(replace(RECORD, number=number))
        way = replace(RECORD, number=0, since=2)
        journal.begin(way)
        assert [step.number for step in journal.steps()] == [1, 2, 3]
        journal.undone(way)
        assert [step.number for step in journal.steps()] == [1]
        assert journal.unfinished() is None


def test_the_history_is_bounded_and_newest_last(tmp_path):
    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply home.tcc"):
        for number in range(DEPTH + 5):
            record = Record(f"change {number}", "", {}, {}, number=journal.next_number())
            journal.begin(record)
            journal.commit(record)
        kept = [f"change {number}" for number in range(5, DEPTH + 5)]
        assert [step.record.command for step in journal.steps()] == kept
        assert journal.last().command == kept[-1]


def test_another_life_of_the_namespace_voids_what_was_written(tmp_path):
    before = Journal(tmp_path, LIFE)
    with before.held("tcc apply home.tcc"):
        before.begin(RECORD)
    for later in (Identity(4, 4026531840, "boot", 2), Identity(4, 4026531840, "another", 1)):
        after = Journal(tmp_path, later)
        assert after.unfinished() is None
        assert after.last() is None
        with after.held("tcc apply home.tcc"):
            assert not (after.path / "journal").exists()


def test_reading_makes_nothing(tmp_path):
    journal = Journal(tmp_path / "state", LIFE)
    assert journal.unfinished() is None
    assert journal.last() is None
    assert journal.owned() == {}
    assert not (tmp_path / "state").exists()


def test_directories_are_ours_alone(tmp_path):
    (tmp_path / "state").mkdir(mode=0o777)
    (tmp_path / "state").chmod(0o777)
    journal = Journal(tmp_path / "state", LIFE)
    journal.prepare()
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert journal.path.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a directory away takes root")
def test_somebody_elses_directory_is_not_used(tmp_path):
    (tmp_path / "state").mkdir()
    os.chown(tmp_path / "state", 12345, 12345)
    with pytest.raises(UntrustedDirectoryError, match="12345"):
        Journal(tmp_path / "state", LIFE).prepare()


def test_a_damaged_journal_says_so(tmp_path):
    journal = Journal(tmp_path, LIFE)
    with journal.held("tcc apply home.tcc"):
        journal.begin(RECORD)
    with (journal.path / "journal").open("ab") as file:
        file.write(b" ")
    with pytest.raises(DamagedError, match="journal is damaged"):
        journal.unfinished()


def hold(path, ready, done):
    with Journal(path, LIFE).held("tcc apply first.tcc"):
        ready.set()
        done.wait(20)


@pytest.mark.slow
def test_the_second_waits_briefly_and_is_told_who_is_first(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    first = context.Process(target=hold, args=(tmp_path, ready, done))
    first.start()
    assert ready.wait(20)
    began = time.monotonic()
    with pytest.raises(BusyError) as caught, Journal(tmp_path, LIFE).held("second", 0.3):
        pass
    waited = time.monotonic() - began
    done.set()
    first.join()
    assert str(caught.value) == f"process {first.pid}, `tcc apply first.tcc`"
    assert 0.3 <= waited < 5


def test_a_lock_goes_with_its_holder(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    first = context.Process(target=hold, args=(tmp_path, ready, done))
    first.start()
    assert ready.wait(20)
    first.kill()
    first.join()
    with Journal(tmp_path, LIFE).held("second", 5):
        pass


def test_two_namespaces_are_two_identities():
    own = identify(None)
    assert own == identify(Namespace.of_process(os.getpid()))
    assert own.inode == os.stat("/proc/self/ns/net").st_ino
    assert own.directory == f"netns-{own.device}-{own.inode}"
