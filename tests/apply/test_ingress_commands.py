"""Ingress by the commands and by a script, as people use them, on this machine's kernel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tcc import api
from tcc.facts.gather import gather
from tcc.source import Source
from tests.apply.ingress_world import POLICY, World

ROOT = Path(__file__).parents[2]
BOTH = POLICY.format("wan")
EGRESS = 'link wan { device "wan"; egress { bandwidth 30mbit; qdisc tbf { inner bfifo } } }\n'


@pytest.fixture
def world(netns, tmp_path):
    return World(netns, tmp_path / "state")


@pytest.fixture
def tcc(world, tmp_path):
    def run(*words, policy=None):
        if policy is not None:
            (tmp_path / "a.tcc").write_text(policy)
            words = (words[0], str(tmp_path / "a.tcc"), *words[1:])
        done = subprocess.run(
            [sys.executable, "-m", "tcc", *words, "--netns", world.here.name],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=ROOT,
            env={**os.environ, "TCC_STATE_DIR": str(tmp_path / "state")},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_what_is_not_wanted_any_more_goes(world, tcc):
    tcc("apply", "--yes", policy=EGRESS)
    before = world.shown()
    tcc("apply", "--yes", policy=BOTH)
    assert "redirect to ifb-wan" not in tcc("plan", policy=BOTH).partition("keep")[0]
    shown = tcc("apply", "--yes", policy=EGRESS)
    assert "delete   redirect to ifb-wan (u32)" in shown
    assert world.shown() == before
    assert "Nothing to do" in tcc("apply", "--yes", policy=EGRESS)


def test_removed_and_brought_back_to_the_number(world, tcc):
    bare = world.shown()
    tcc("apply", "--yes", policy=BOTH)
    shaped = world.shown()
    tcc("remove", "--yes")
    assert world.shown() == bare
    assert world.reached()
    tcc("rollback")
    assert world.shown() == shaped  # the same number and hardware address, too
    assert world.reached()


def test_one_link_is_removed_by_its_name_or_device(world, tcc):
    bare = world.shown()
    for name in ("wan", "ifb-wan"):
        tcc("apply", "--yes", policy=BOTH.replace("link wan", "link home"))
        tcc("remove", name if name == "wan" else "home", "--yes")
        assert world.shown() == bare


def test_what_was_there_is_not_removed(world, tcc):
    world.ip("link add ifb-wan type ifb")
    world.tc("qdisc add dev wan clsact")
    tcc("apply", "--yes", policy=BOTH)
    tcc("remove", "--yes")
    assert "ifb-wan" in world.here.run("ip", "link").stdout
    assert "clsact" in world.here.run("tc", "qdisc").stdout
    assert world.reached()


def test_a_script_may_run_again_and_heals(world, tmp_path):
    """What comes in passes the ifb once, however often it ran and whatever broke in between."""
    built = api.load(Source("test.tcc", BOTH))
    state, _ = api.lower(built, "tc-script", gather(world.namespace).facts)
    (item,) = state.values()
    script = tmp_path / "tc.sh"
    script.write_text(item.text)
    world.here.run("sh", str(script))
    first = world.shown()
    world.here.run("sh", str(script))
    assert world.shown() == first
    world.ip("link delete ifb-wan")
    assert not world.reached()
    world.here.run("sh", str(script))
    for version in (4, 6):
        sent = world.sent("ifb-wan")
        assert world.reached(version=version)
        assert world.sent("ifb-wan") > sent
    filters = world.here.run("tc", "filter", "show", "dev", "wan", "ingress").stdout
    assert filters.count("Redirect to device") == 1


def test_apply_takes_over_from_the_script(world, tmp_path, tcc):
    built = api.load(Source("test.tcc", BOTH))
    state, _ = api.lower(built, "tc-script", gather(world.namespace).facts)
    (item,) = state.values()
    (tmp_path / "tc.sh").write_text(item.text)
    world.here.run("sh", str(tmp_path / "tc.sh"))
    assert "Nothing to do" in tcc("apply", "--yes", policy=BOTH)
