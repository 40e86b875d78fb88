"""What holds of every qdisc but CAKE under random traffic; see `random_qdiscs`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tcc.engine import compiled, fair_rows
from tests.engine.random_qdiscs import KINDS, Drive, line

ROOT = Path(__file__).parents[2]
SEEDS = range(120)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_order_and_work_conservation(kind):
    own = [seed for seed in SEEDS if KINDS[seed % len(KINDS)] == kind]
    delivered = 0
    for seed in own:
        drive = Drive(seed)
        drive.run()  # asserts after every call
        delivered += drive.counts["delivered"]
    assert delivered > 20 * len(own)


def test_the_same_seed_gives_the_same_outcome():
    assert [line(seed) for seed in SEEDS[:12]] == [line(seed) for seed in SEEDS[:12]]


@pytest.mark.slow
def test_compiled_and_interpreted_do_the_same():
    """One of the two runs here, the other in a process of its own, if the engine is compiled."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.random_qdiscs", "0", "60"],
        cwd=ROOT,
        env=os.environ | {"TCC_ENGINE": "interpreted"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [f"interpreted {line(seed)}" for seed in range(60)]
    assert compiled() or "TCC_ENGINE" in os.environ or not list((ROOT / "tcc/engine").glob("*.so"))


def test_fair_rows_have_the_same_fields_in_c_and_in_python():
    text = (ROOT / "tcc/engine/fair_rows.pxd").read_text()
    structs = re.findall(r"cdef struct (\w+):\n((?:    .*\n)+)", text)
    assert {name for name, _ in structs} == {"Slot", "CodelFlow", "FqFlow"}
    for name, body in structs:
        fields = {row.split()[-1] for row in body.splitlines()}
        assert fields == set(getattr(fair_rows, name).__slots__), name
