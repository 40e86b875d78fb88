"""Senders begin within 10 ms, by the seed, the same for every verifier."""

from tcc import api
from tcc.lower import lower_policy
from tcc.source import Source
from tcc.verify import Scenario, scenarios
from tcc.verify.starts import starts

POLICY = """
link wan { device "eth0"; role router; egress { bandwidth 10mbit } }
workload w { tcp upload 40 flows; tcp upload 1 flow after 3s }
objective "o" { under w; require egress utilisation >= 1% }
"""
MS = 1_000_000


def scenario() -> Scenario:
    built = api.load(Source("p.tcc", POLICY))
    assert built.policy, built.found
    (made,) = scenarios(built.policy, lower_policy(built.policy, None, built.spans)[0])
    return made


def test_within_ten_milliseconds_of_when_they_should():
    *together, late = starts(scenario(), 1)
    assert all(0 <= moment < 10 * MS for moment in together)
    assert max(together) - min(together) > 5 * MS
    assert 0 <= late - 3000 * MS < 10 * MS


def test_the_seed_decides():
    assert starts(scenario(), 7) == starts(scenario(), 7)
    assert starts(scenario(), 7) != starts(scenario(), 8)
