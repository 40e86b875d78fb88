"""Correct policies of all kinds, of which lint has nothing to say: any finding is a false one."""

from pathlib import Path

import pytest

from tcc import api

HERE = Path(__file__).parent
POLICIES = sorted(HERE.glob("*.tcc"))
EXAMPLES = sorted((HERE.parents[1] / "docs/examples").glob("*.tcc"))


def test_there_are_enough():
    assert len(POLICIES + EXAMPLES) >= 60


@pytest.mark.parametrize("path", POLICIES + EXAMPLES, ids=lambda path: path.stem)
def test_nothing_is_found(path):
    built = api.load(str(path))
    assert [(item.code, item.message) for item in api.lint(built)] == []


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_it_is_formatted(path):
    text = path.read_text()
    source = next(iter(api.load(str(path)).sources.values()))
    assert api.format_text(source) == text
