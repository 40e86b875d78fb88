"""What fuzzing found once, and what readers know: every target takes both."""

from itertools import islice
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

FOUND = sorted(Path(__file__).parent.glob("found/*/*"))
A_FEW = 3


def test_what_was_found_stays_mended() -> None:
    assert FOUND
    for path in FOUND:
        TARGETS[path.parent.name].run(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_knows_its_seeds_and_takes_damaged_ones(name: str) -> None:
    seeds = list(islice(TARGETS[name].seeds(), A_FEW))
    assert seeds
    for seed in seeds:
        for data in (seed, seed[: len(seed) // 2], seed.replace(b"1", b"\xff", 1), seed[::-1]):
            TARGETS[name].run(data)
