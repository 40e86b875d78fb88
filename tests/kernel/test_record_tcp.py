"""Rows recorded with their moments: what the moments depend on, and the engine at them."""

from __future__ import annotations

import pytest

from record_tcp import record
from tcc.experiments.kernel_tcp import compare, kernel_figures, run_once
from tcc.experiments.kernel_tcp_moments import US, Starts, measured

pytestmark = pytest.mark.uml


def times(starts: Starts) -> list[int]:
    """Return every moment at which a stream's processes act (us)."""
    return [
        time // US
        for one in starts.streams
        for time in (one.connects, one.cookie, *one.words, one.begins)
    ]


def test_moments_are_the_schedulers_and_the_engine_at_them_does_as_the_kernel():
    first, second = (record("cake_ds3", "20", "10", 3, "0.0003", seed) for seed in (1, 2))
    moments = [measured(row["starts"]) for row in (first, second)]
    # the qdisc's and TCP's randomness is another, and the moments are the same
    assert first["tcp"] != second["tcp"]
    apart = [abs(a - b) for a, b in zip(*map(times, moments), strict=True)]
    assert max(apart) <= 3
    for row in (first, second):
        made = compare("row", kernel_figures(row), run_once(row, 1))
        assert made.misses["goodput"] <= 100, made
        assert made.worst <= 200, made
