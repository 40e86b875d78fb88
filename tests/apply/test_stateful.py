"""Random histories of one host; `make evidence T=stateful` is a longer run."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.apply.stateful_world import Hosts

SHORT = settings(
    max_examples=16,
    stateful_step_count=8,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],  # what fails is told as it was found: shrinking takes minutes
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.kernel
@pytest.mark.slow
def test_never_a_third_state_and_always_a_way_back():
    Hosts.ended.clear()
    run_state_machine_as_test(Hosts, settings=SHORT)
    # each part of what is to hold was really tried
    assert Hosts.ended["apply: exit 0"] >= 5
    assert Hosts.ended["rollback: exit 0"] >= 5
    assert Hosts.ended["apply, a request refused: exit 3"] >= 1
    assert Hosts.ended["rollback of a killed apply"] >= 1
