"""Measurements over time: they add up to the totals, and watching changes nothing."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tcc import api, plugin
from tcc.source import Source
from tcc.verify.measured import Measured
from tcc.verify.scenario import Scenario
from tcc.verify.series import MOST_INTERVALS, SHARES, STEP, interval_of

POLICY = """
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 4mbit; tiers diffserv4; ack-filter on }
    ingress { bandwidth 6mbit; tiers diffserv4 }
}
workload mixed {
    tcp upload 2 flows as sending
    tcp download 4 flows dscp cs1 ecn as fetching
    udp upload 1 flow 6mbit each dscp ef as flood
    voip 1 calls
    ping interval 100ms
}
objective "mixed" {
    under mixed for 2500ms rtt 20ms
    require egress utilisation >= 50%
}
"""


def scenario() -> Scenario:
    built = api.load(Source("mixed.tcc", POLICY))
    (made,), found = api.scenarios(built, "reference")
    assert not found
    return made


@pytest.fixture(scope="module")
def watched() -> Measured:
    return plugin.verifier("reference").measure(replace(scenario(), sampling=True), 3)


def test_watching_changes_nothing(watched: Measured):
    unwatched = plugin.verifier("reference").measure(scenario(), 3)
    assert unwatched.series is None
    assert replace(watched, series=None) == unwatched


def test_counts_add_up_to_the_totals(watched: Measured):
    assert watched.series is not None
    for flow, over_time in zip(watched.flows, watched.series.flows, strict=True):
        assert sum(over_time.payload) == flow.payload
        assert sum(over_time.drops) == flow.drops
    assert set(watched.series.directions) == {"egress", "ingress"}
    for name, over_time in watched.series.directions.items():
        whole = watched.directions[name]
        assert sum(over_time.packets) == whole.packets
        assert sum(over_time.octets) == whole.octets
        assert sum(over_time.framed) == whole.framed
        assert sum(map(sum, over_time.reasons.values())) >= whole.drops
    egress = watched.series.directions["egress"].reasons
    assert sum(egress["congested"]) > 0
    assert sum(egress["ack_filter"]) > 0


def test_the_last_interval_is_what_is_left(watched: Measured):
    assert watched.series is not None
    assert watched.series.interval == STEP
    assert {len(one.payload) for one in watched.series.flows} == {13}  # 12 x 200 ms, and 100 ms


def test_tins_add_up_to_the_link(watched: Measured):
    assert watched.series is not None
    for over_time in watched.series.directions.values():
        tins = over_time.tins.values()
        for number, octets in enumerate(over_time.octets):
            assert sum(tin.octets[number] for tin in tins) == octets
            assert sum(tin.backlog[number] for tin in tins) == over_time.backlog[number]
            assert sum(tin.marks[number] for tin in tins) == over_time.marks[number]
    assert set(watched.series.directions["egress"].tins) == {"Bulk", "Best Effort", "Voice"}
    assert sum(watched.series.directions["ingress"].tins["Bulk"].marks) > 0


def test_delays_add_up_to_their_distribution(watched: Measured):
    assert watched.series is not None
    for flow, over_time in zip(watched.flows, watched.series.flows, strict=True):
        delays = over_time.round_trip
        assert (delays is None) == (not flow.round_trip.samples)
        if delays is None:
            continue
        assert sum(delays.samples) == flow.round_trip.samples
        assert max(filter(None, delays.max)) == flow.round_trip.max
        counted = zip(delays.samples, delays.mean, strict=True)
        total = sum(count * (mean or 0) for count, mean in counted)
        samples = flow.round_trip.samples
        assert abs(flow.round_trip.mean - total / samples) < 1  # means are rounded down
        assert delays.quantiles[SHARES.index(500)] == flow.round_trip.median
        assert delays.quantiles[SHARES.index(990)] == flow.round_trip.p99
        assert delays.quantiles[-1] >= delays.quantiles[0] > 20_000_000
    egress, whole = watched.series.directions["egress"], watched.directions["egress"]
    assert sum(egress.sojourn.samples) == whole.packets
    assert max(filter(None, egress.sojourn.max)) == whole.sojourn.max
    assert egress.sojourn.quantiles[SHARES.index(950)] == whole.sojourn.p95
    assert set(egress.parts) == {name for name, one in whole.parts.items() if one.samples}


def test_a_second_is_five_intervals(watched: Measured):
    assert watched.series is not None
    for flow, over_time in zip(watched.flows, watched.series.flows, strict=True):
        assert sum(over_time.payload[:5]) * 8 == flow.series[0]


def test_a_long_run_takes_no_more_intervals():
    assert interval_of(20_000_000_000) == STEP
    for duration in (1, STEP, STEP * MOST_INTERVALS, STEP * MOST_INTERVALS + 1, 10**14):
        interval = interval_of(duration)
        assert interval % STEP == 0
        assert -(-duration // interval) <= MOST_INTERVALS


@pytest.mark.slow
def test_the_same_series_interpreted_and_in_other_processes(tmp_path: Path):
    policy = tmp_path / "mixed.tcc"
    policy.write_text(POLICY.replace("2500ms", "500ms"))
    code = "from tcc.cli.main import main; main()"
    command = [sys.executable, "-c", code, "verify", str(policy), "--no-mend", "--json", "--series"]
    found = [
        subprocess.run(
            [*command, "--repeat", "2", "--jobs", jobs],
            capture_output=True, text=True, check=False, env={**os.environ, **more},
        ).stdout
        for jobs, more in (("1", {}), ("2", {}), ("2", {"TCC_ENGINE": "interpreted"}))
    ]  # fmt: skip
    assert '"series"' in found[0]
    assert found[0] == found[1] == found[2]
