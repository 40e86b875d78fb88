"""Every reported mistake is found by lint, cannot be written, or is another stage's to catch."""

import pytest

from tcc import api, checks
from tcc.lower import lower_policy
from tcc.source import Source
from tests.checks.reports import ALL, FOUND, MADE_IMPOSSIBLE, OF_LINT, OFF_THE_TEXT


def read(policy):
    return api.load(Source("report.tcc", policy))


@pytest.mark.parametrize("row", FOUND)
def test_found(row):
    case = FOUND[row]
    built = read(case.policy)
    found = [*api.lint(built, case.facts), *checks.run(built, case.facts, case.target)]
    assert case.code in {item.code for item in found}


@pytest.mark.parametrize("row", MADE_IMPOSSIBLE)
def test_made_impossible(row):
    case = MADE_IMPOSSIBLE[row]
    found = {item.code for item in api.lint(read(case.attempt))}
    assert found == ({case.code} if case.code else set())


def test_every_row_is_somewhere():
    assert len(ALL) == len(set(ALL)) == 122
    assert sorted([*FOUND, *MADE_IMPOSSIBLE, *OFF_THE_TEXT]) == sorted(ALL)
    assert set(OF_LINT) <= {*FOUND, *MADE_IMPOSSIBLE}


# What the right attempts of MADE_IMPOSSIBLE become, in numbers that are not ours.


def egress(row):
    return read(MADE_IMPOSSIBLE[row].attempt).policy.links[0].egress


def settings(row):
    built = read(MADE_IMPOSSIBLE[row].attempt)
    [lowered], _ = lower_policy(built.policy, None, built.spans)
    return lowered.settings


def test_u4_u10_rates():
    assert egress("U4").bandwidth.rate == 512_000
    assert egress("U10").bandwidth.rate == 512_000


def test_u13_o6_overheads():
    assert settings("U13").overhead == -4
    assert (settings("O6").overhead, settings("O6").raw) == (10, False)


def test_b4_b9_bursts_grow_with_the_rate():
    # a frame of 1514 bytes and 1 ms: 125000 bytes at 1 Gbit/s, 1125 at 9 Mbit/s
    assert settings("B4").burst == 1514 + 125_000
    assert settings("B9").burst == 1514 + 1_125


def test_b8_half_a_millisecond():
    # 31250 bytes in 0.5 ms at 500 Mbit/s, and the burst
    assert settings("B8").limit - settings("B8").burst == 31_250


def test_o13_conservative():
    assert (settings("O13").overhead, settings("O13").atm) == (48, 1)


def test_d3_both_can_be_set():
    assert (settings("D3").nat, settings("D3").flow_mode, settings("D3").ack_filter) == (True, 5, 1)


def test_l4_both_are_there():
    assert settings("L4").inner.kind == "fq_codel"
