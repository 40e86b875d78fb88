"""When iperf3's processes begin, against a traced guest."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from tcc.engine.random import Random
from tcc.experiments.kernel_tcp import build
from tcc.experiments.kernel_tcp_starts import cuts_of, found_at

DATA = Path(__file__).parents[1] / "data"
RUNS = json.loads((DATA / "kernel-starts.json").read_text())["runs"]


def possible(rtt: int) -> set[tuple[int, ...]]:
    """Return the ticks at which four clients may find their words, whatever pings cut short."""
    ticks = list(cuts_of(rtt, Random(1, 0)))
    combined = itertools.product(range(4), repeat=len(ticks))
    return {
        tuple(tick for tick, _ in found_at(rtt, dict(zip(ticks, cuts, strict=True))))
        for cuts in combined
    }


@pytest.mark.parametrize("run", RUNS, ids=lambda run: str(run["clients"]))
def test_turns_explain_when_the_guests_clients_began(run):
    assert tuple(time // 1000 for time in run["clients"]) in possible(run["rtt_ms"])


def test_turns_explain_few_of_the_orders_that_there_could_be():
    # each begins at tick 0 to 3, the last one at 3: 64 orders
    assert len(possible(80)) <= 16
    assert len(possible(10)) <= 2


def test_without_pings_turns_are_strict():
    # At a round trip of 80 ticks, 77 turns after the first of four: client 1 polls when the first
    # word comes, 2, 3 and 0 after it; 0 finds its own, and the others theirs in the same turn.
    assert found_at(80, {}) == [(3, 0), (3, 1), (3, 2), (3, 3)]
    assert found_at(10, {}) == [(1, 0), (1, 1), (3, 0), (3, 1)]


def test_servers_begin_at_ticks_as_the_guests():
    row = {
        "kind": "rrul", "qdisc": "cake_ds3", "rate_mbit": 100.0, "rtt_ms": 80.0, "flows": 8,
        "cc": "cubic", "ecn": 2, "seconds": 1,
    }  # fmt: skip
    flows = [one for one in build(row, 1).flows if one.kind == "tcp" and one.stop is not None]
    servers = [one.start for one in flows if one.direction == "down"]
    tick = servers[0] // 1_000_000 * 1_000_000
    for recorded in (run["servers"] for run in RUNS):
        for start, time in zip(servers, recorded, strict=True):
            assert abs(start - tick - 1000 * time) <= 5000
