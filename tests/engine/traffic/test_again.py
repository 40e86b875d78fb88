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


@pytest.mark.parametrize("name", sorted({name_of(row) for row in AGAIN}))
def test_each_way_that_the_kernel_goes_is_one_of_the_engines(name):
    # The recorded run, and runs of the same row that began 0.17 to 0.83 ms later in a tick.
    recorded = [row for row in rows("kernel-tcp.jsonl") + AGAIN if name_of(row) == name]
    kernel = [kernel_figures(row).goodput for row in recorded]
    engine = [run_once(recorded[0], seed).goodput for seed in range(1, 26)]
    assert max(kernel) > 1.1 * min(kernel)  # or there would be no question
    for one in kernel:
        assert min(abs(one - other) for other in engine) < 0.03 * one
    assert len(recorded) > 5
