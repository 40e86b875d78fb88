"""No program of iproute2 is needed: every command works with a PATH that leads nowhere."""

import json

import pytest

from tests.apply.test_commands import TCC, World


@pytest.fixture
def world(netns, tmp_path):
    return World(netns, tmp_path)


def test_plan_apply_status_rollback_and_remove_find_no_program(world, tmp_path):
    nowhere = ["/usr/bin/env", f"PATH={tmp_path / 'nowhere'}", *TCC]
    before = world.shown()

    def tcc(*words):
        return world.tcc(*words, command=nowhere)

    policy = str(world.policy)
    assert tcc("plan", policy, "--detailed-exitcode").returncode == 2
    done = tcc("apply", policy, "--yes")
    assert done.returncode == 0, done.stderr
    after = world.shown()
    assert {one["dev"] for one in json.loads(after) if one["kind"] == "tbf"} == {"a0", "a1"}
    assert tcc("plan", policy, "--detailed-exitcode").returncode == 0
    status = tcc("status", "--json")
    assert status.returncode == 0, status.stderr
    assert '"tbf"' in status.stdout
    set_ = tcc("set", "wan.egress.bandwidth", "40mbit")
    assert set_.returncode == 0, set_.stderr
    assert world.shown() != after
    assert tcc("rollback").returncode == 0
    assert world.shown() == before
    assert tcc("apply", policy, "--yes").returncode == 0
    assert tcc("remove", "--yes").returncode == 0
    assert world.shown() == before
