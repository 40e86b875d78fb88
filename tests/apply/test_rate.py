"""What is applied is what is shaped: TCP through a tbf of this machine's kernel."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "evidence"))

from _machine import machine, measured_rate

POLICY = """
link wan {
    device "a0"
    egress { bandwidth 50mbit; qdisc tbf { burst 32KiB; latency 50ms; inner bfifo } }
}
"""


@pytest.mark.kernel
@pytest.mark.slow
def test_the_rate_is_met_within_one_per_cent():
    with machine("a0") as world:
        world.apply(world.policy(POLICY))
        rate = measured_rate(world, "a0", 10)
    assert rate == pytest.approx(50_000_000, rel=0.01)
