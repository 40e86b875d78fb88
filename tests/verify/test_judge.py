"""Verdicts of hand-worked measurements: every expected number is computed in the comment."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc import api
from tcc.lower import lower_policy
from tcc.source import Source
from tcc.verify import Delays, DirectionMeasure, FlowMeasure, Measured, Scenario, judge, scenarios
from tcc.verify.metrics import jain

SECOND = 1_000_000_000
MS = 1_000_000
POLICY = """
link wan {{
    device "eth0"
    framing ethernet
    role router
    egress  {{ bandwidth 10mbit; tiers diffserv4 }}
    ingress {{ bandwidth 40mbit; tiers diffserv4 }}
}}
tier voice {{ match dscp ef }}
workload load {{
    tcp upload 2 flows from 1 host
    tcp upload 1 flow from 1 host
    ping interval 20ms
    voip 1 call
}}
objective "o" {{ under load for 2s rtt 30ms; require {} }}
"""
FRAMES = DirectionMeasure(packets=1000, octets=1_514_000, framed=1_538_000, drops=10, marks=50)


def scenario_of(requirement: str) -> Scenario:
    built = api.load(Source("p.tcc", POLICY.format(requirement)))
    assert built.policy, built.found
    lowered, _ = lower_policy(built.policy, None, built.spans)
    (made,) = scenarios(built.policy, lowered)
    return made


def measured(flows: Sequence[FlowMeasure]) -> Measured:
    directions = {"egress": FRAMES, "ingress": DirectionMeasure()}
    return Measured("test", "by hand", 1, 2 * SECOND, False, tuple(flows), directions)


FLOWS = (
    FlowMeasure(payload=750_000, goodput=3_000_000, offered=520, series=(3_000_000, 3_000_000)),
    FlowMeasure(payload=250_000, goodput=1_000_000, offered=174, series=(2_000_000, 0)),
    FlowMeasure(payload=1_000_000, goodput=4_000_000, offered=691, series=(4_000_000, 4_000_000)),
    FlowMeasure(
        offered=100, lost=1,
        round_trip=Delays(99, 31 * MS, 30 * MS, 34 * MS, 38 * MS, 39 * MS, 40 * MS),
    ),
    FlowMeasure(
        offered=100, lost=0, mos=4_100,
        round_trip=Delays(100, 33 * MS, 32 * MS, 35 * MS, 36 * MS, 36 * MS, 37 * MS),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("requirement", "value", "holds"),
    [
        ("egress goodput >= 8mbit", Fraction(8_000_000), True),
        # series sum to 9 and 7 Mbit/s: the smaller half's upper end
        ("egress goodput median >= 8mbit", Fraction(9_000_000), True),
        # (1514000 - 14 x 1000) x 8 bits in 2 s
        ("egress throughput >= 6mbit", Fraction(6_000_000), True),
        # 1538000 x 8 / 2 s = 6.152 Mbit/s of 10
        ("egress utilisation >= 61%", Fraction(6152, 10000), True),
        ("egress utilisation >= 62%", Fraction(6152, 10000), False),
        ("ping latency p99 <= 38ms", Fraction(38 * MS), True),
        ("ping latency max <= 39ms", Fraction(40 * MS), False),
        ("ping induced-latency p95 <= 4ms", Fraction(4 * MS), True),
        # of all probes the worst: p99 of ping is 38 ms
        ("induced-latency p99 <= 7ms", Fraction(8 * MS), False),
        # the call alone falls into the tier: 36 - 30
        ("voice induced-latency p99 <= 6ms", Fraction(6 * MS), True),
        ("mos >= 4", Fraction(41, 10), True),
        ("egress loss <= 1%", Fraction(10, 1010), True),
        ("egress ping loss <= 0.5%", Fraction(1, 100), False),
        ("egress marks <= 5%", Fraction(50, 1000), True),
        ("egress marks <= 49", Fraction(50), False),
        # 3, 1, 4: 8^2 / (3 x 26)
        ("egress flow fairness >= 0.8", Fraction(64, 78), True),
        # the first host has 3 + 1, the second 4
        ("egress host fairness >= 1", Fraction(1), True),
    ],
)
def test_verdict(requirement: str, value: Fraction, holds: bool):
    (verdict,) = judge(scenario_of(requirement), measured(FLOWS))
    assert (verdict.measured, verdict.holds) == (value, holds)


def test_without_a_direction_both_must_hold():
    verdicts = judge(scenario_of("utilisation >= 50%"), measured(FLOWS))
    assert [(one.direction, one.holds) for one in verdicts] == [
        ("egress", True),
        ("ingress", False),
    ]


def test_what_was_not_measured_does_not_hold():
    (verdict,) = judge(scenario_of("ingress goodput >= 1mbit"), measured(FLOWS))
    assert (verdict.measured, verdict.holds) == (None, False)


def test_margin_is_a_share_of_the_bound():
    (verdict,) = judge(scenario_of("egress goodput >= 10mbit"), measured(FLOWS))
    assert verdict.margin == Fraction(-2, 10)


def test_datagrams_that_a_long_queue_holds_back_are_not_all_delivered():
    """200 sent, none of them there yet, 80 dropped meanwhile: 40% lost, not nothing."""
    text = POLICY.replace("    voip 1 call\n", "    udp upload 1 flow 1mbit each as flood\n")
    built = api.load(Source("p.tcc", text.format("egress flood loss <= 1%")))
    assert built.policy, built.found
    (made,) = scenarios(built.policy, lower_policy(built.policy, None, built.spans)[0])
    flood = FlowMeasure(offered=200, lost=0, drops=80)
    (verdict,) = judge(made, measured((*FLOWS[:4], flood)))
    assert (verdict.measured, verdict.holds) == (Fraction(80, 200), False)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=20))
def test_fairness_is_between_one_nth_and_one(shares: list[int]):
    index = jain(shares)
    assert not any(shares) or Fraction(1, len(shares)) <= index <= 1


def test_fairness_of_equal_shares_is_one_and_of_one_taker_one_nth():
    assert jain([5, 5, 5]) == 1
    assert jain([7, 0, 0, 0]) == Fraction(1, 4)
