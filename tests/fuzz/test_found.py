"""What fuzzing found once, and what readers know: every target takes both."""

from itertools import islice
from pathlib import Path

import pytest

from tcc.apply.saved import from_text
from tcc.cli import live
from tcc.verify.reading import read_results
from tests.fuzz.run import LONGEST_INPUT
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


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_has_a_seed_that_a_run_takes_whole(name: str) -> None:
    assert any(0 < len(seed) <= LONGEST_INPUT for seed in islice(TARGETS[name].seeds(), A_FEW))


def test_seeds_that_a_command_writes_are_taken_by_their_readers(tmp_path: Path) -> None:
    [plan] = TARGETS["plan"].seeds()
    assert from_text(plan.decode(), live.backend()).plan.operations
    [results] = TARGETS["results"].seeds()
    path = tmp_path / "results.json"
    path.write_bytes(results)
    found, problems = read_results(str(path))
    assert found is not None, problems
