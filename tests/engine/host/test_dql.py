"""Byte queue limits against the kernel's own algorithm, and by hand."""

import gzip
import json
from pathlib import Path

import pytest

from tcc.engine.host.dql import DynamicLimit

TRACES = json.loads(
    gzip.decompress((Path(__file__).parents[2] / "data" / "kernel-dql.json.gz").read_bytes())
)["traces"]
JIFFY = 1_000_000
FRAME = 1514


@pytest.mark.parametrize("number", range(len(TRACES)))
def test_limits_are_the_kernels_step_by_step(number: int):
    trace = TRACES[number]
    limit = DynamicLimit(least=trace["least"], most=trace["most"])
    for step, (what, size, jiffies, wanted, allowed) in enumerate(trace["steps"]):
        if what == "q":
            limit.note(size)
        else:
            limit.report(size, jiffies * JIFFY)
        assert (limit.limit, limit.allowed()) == (wanted, allowed), (step, what, size)


def test_the_traces_grow_and_shrink():
    """The comparison above would say little of traces whose limit never moved down."""
    for trace in TRACES:
        limits = [step[3] for step in trace["steps"]]
        assert max(limits) > limits[0]
    assert any(
        after < before
        for trace in TRACES
        for before, after in zip(trace["steps"], trace["steps"][1:], strict=False)
        for before, after in [(before[3], after[3])]
    )


def test_starving_grows_the_limit_by_what_was_sent():
    """The first object may always go; when it is done and nothing waits, the limit was too low."""
    limit = DynamicLimit()
    limit.note(FRAME)
    assert limit.allowed() == -FRAME
    limit.report(FRAME, 0)
    assert limit.limit == FRAME  # over the limit by one object, and starved
    assert limit.allowed() == FRAME


def test_bounds_hold():
    limit = DynamicLimit(least=3000, most=4000)
    assert limit.allowed() == 0  # a smallest limit counts from the first completion on
    for _ in range(10):
        while limit.allowed() >= 0:
            limit.note(FRAME)
        limit.report(limit.queued - limit.completed, 0)
    assert limit.limit == 4000
