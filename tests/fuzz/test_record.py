"""The page of security has a row for each target, and a recorded run finds it."""

import pytest

from tests.fuzz.run import PAGE, Outcome, recorded
from tests.fuzz.targets import TARGETS


def test_there_is_a_row_for_each_target_and_none_besides():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows if row.count(" | ") == 5] == list(TARGETS)


def test_figures_are_written_into_the_row_alone():
    page = "# x\n| `plan` | a plan | 25 | 1 | 2 | by hand: x |\n| `policy` | y | 1 | 1 | 1 | |\n"
    new = recorded(page, Outcome("plan", 600, "1234567", "4", True))
    assert new == page.replace("| 25 | 1 | 2 |", "| 600 | 1,234,567 | 4 |")
    with pytest.raises(KeyError):
        recorded(page, Outcome("other", 1, "1", "1", True))
