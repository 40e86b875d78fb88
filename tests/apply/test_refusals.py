"""Findings about the machine around a change: the state directory, permission, the disk."""

import os

import pytest

from tcc.apply.identity import Identity
from tcc.apply.journal import Journal
from tcc.apply.privilege import DAC_OVERRIDE, NET_ADMIN, may_administer, only
from tcc.apply.transaction import Outcome, Transaction
from tcc.plan.diff import diff
from tcc.plan.state import Place, QdiscItem
from tcc_plugins.bfifo import BfifoSettings
from tcc_plugins.netlink import Host
from tests.apply.test_transaction import World

LIFE = Identity(4, 1, "boot", 1)
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="capabilities are put aside by root")
BFIFO = {Place("a0", "root"): QdiscItem("bfifo", 1 << 16, BfifoSettings(9000))}


@pytest.fixture
def world(netns, tmp_path):
    return World(netns, tmp_path / "state")


def codes(report):
    return [found.code for found in report.found]


def test_a_state_directory_that_cannot_be_made(world):
    world.journal = Journal(world.journal.path / "x\0y", LIFE)  # no file name holds a NUL
    with pytest.raises(ValueError, match="null"):
        world.journal.prepare()
    world.journal = Journal(type(world.journal.path)("/proc/no-such-directory"), LIFE)
    shown = world.shown()
    report = world.apply(BFIFO)
    assert report.outcome is Outcome.REFUSED
    assert codes(report) == ["state-unusable"]
    assert world.shown() == shown


def test_a_damaged_journal_stops_everything(world):
    with world.journal.held("test"):
        pass
    (world.journal.path / "journal").write_text("tcc-state change-1 5 abc\n12345")
    shown = world.shown()
    assert codes(world.apply(BFIFO)) == ["state-unusable"]
    assert codes(world.roll_back()) == ["state-unusable"]
    assert world.shown() == shown


def test_a_change_that_cannot_be_recorded_is_put_back(world):
    """A directory where the file `owned` would go: the kernel refuses the rename."""
    shown = world.shown()
    with world.journal.held("test"):
        (world.journal.path / "owned.new").mkdir()
    with Host(world.namespace) as host:
        plan = diff(host.observe(BFIFO), BFIFO, host)
        report = Transaction(host, world.journal, "tcc apply test.tcc").run(plan)
    assert report.outcome is Outcome.RESTORED
    assert codes(report) == ["change-failed", "state-unusable"]
    assert world.shown() == shown
    (world.journal.path / "owned.new").rmdir()
    assert codes(world.apply(BFIFO)) == ["unfinished-change"]
    assert world.roll_back().outcome is Outcome.DONE
    assert world.apply(BFIFO).outcome is Outcome.DONE


@root_only
def test_privileges_are_put_aside_and_come_back():
    assert may_administer()
    with only(NET_ADMIN):
        assert may_administer()
        with pytest.raises(PermissionError):
            os.chown("/proc/self/fd/0", 1, 1)
    with only(DAC_OVERRIDE):
        assert not may_administer()
    assert may_administer()


@root_only
def test_permission_lost_on_the_way_is_found_before_or_undone(world):
    """Without CAP_NET_ADMIN the kernel refuses the first message: nothing was touched."""
    shown = world.shown()
    with Host(world.namespace) as host:
        plan = diff(host.observe(BFIFO), BFIFO, host)
        with only(DAC_OVERRIDE):
            report = Transaction(host, world.journal, "tcc apply test.tcc").run(plan)
    assert report.outcome is Outcome.RESTORED
    assert codes(report) == ["kernel-refused"]
    assert "CAP_NET_ADMIN" in report.found[0].hints[0]
    assert world.shown() == shown
    assert world.journal.unfinished() is None


def test_a_rate_estimator_that_goes_is_noted_and_does_not_stop_anything(world):
    """Its interval is told nowhere (gen_new_estimator()); it only counts."""
    world.tc("qdisc add dev a0 root handle 7: estimator 1s 8s pfifo limit 50")
    with Host(world.namespace) as host:
        plan = diff(host.observe(BFIFO), BFIFO, host)
        found = host.obstacles(plan)
    assert [(one.code, one.severity.name) for one in found] == [("estimator-lost", "NOTE")]
    assert "pfifo 7: on a0" in found[0].message
    assert world.apply(BFIFO).outcome is Outcome.DONE
    with Host(world.namespace) as host:
        assert not host.obstacles(diff(host.observe(BFIFO), BFIFO, host))
