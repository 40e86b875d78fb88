"""Rows that the kernel does not repeat: its runs at other moments, beside the engine's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tcc.experiments.kernel_tcp import kernel_figures, name_of, run_once

pytestmark = pytest.mark.slow  # `make test` runs them

DATA = Path(__file__).parents[2] / "data"


def rows(name: str) -> list[dict[str, object]]:
    """Return the rows of a file of runs."""
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


AGAIN = rows("kernel-tcp-again.jsonl")
TRACED = [row for row in AGAIN if "starts" in row]
LATER = [row for row in AGAIN if "starts" not in row]


def ways(row: dict[str, object]) -> list[int]:
    """Return the engine's goodput with 50 seeds (bit/s)."""
    return [run_once(row, seed).goodput for seed in range(1, 51)]


def among(one: int, others: list[int]) -> bool:
    """Say whether one is within 3 % of another."""
    return min(abs(one - other) for other in others) < 0.03 * one


@pytest.mark.parametrize("name", sorted({name_of(row) for row in LATER}))
def test_each_way_that_the_kernel_goes_is_one_of_the_engines(name):
    # The recorded run, and runs of the same row that began 0.17 to 0.83 ms later in a tick.
    recorded = [row for row in rows("kernel-tcp.jsonl") + LATER if name_of(row) == name]
    kernel = [kernel_figures(row).goodput for row in recorded]
    engine = ways({key: value for key, value in recorded[0].items() if key != "starts"})
    assert max(kernel) > 1.1 * min(kernel)  # or there would be no question
    assert all(among(one, engine) for one in kernel)
    assert len(recorded) > 5


def test_at_the_same_moments_the_engine_goes_the_kernels_ways_and_no_other():
    # Three guests that began at the same moments and differ by the seed of their randomness.
    kernel = [kernel_figures(row).goodput for row in TRACED]
    engine = ways(TRACED[0])
    assert max(kernel) > 1.1 * min(kernel)
    assert all(among(one, engine) for one in kernel)
    assert all(among(one, kernel) for one in engine)
    assert len(TRACED) == 3
