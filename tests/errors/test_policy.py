"""Bad policies, each with what is said about it: tests/errors/policy/<case>.tcc and .txt.

`pytest --update-golden` writes the .txt files anew; read the difference before you keep it.
"""

import os
from pathlib import Path

import pytest

from tcc import api
from tcc.report.text import render
from tcc.source import Source

CASES = sorted((Path(__file__).parent / "policy").glob("*.tcc"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_is_said(case, request, monkeypatch):
    monkeypatch.chdir(case.parent)
    built = api.load(case.name)
    said = render(built.found, built.sources)
    assert built.policy is None
    expected = case.with_suffix(".txt")
    if request.config.getoption("--update-golden"):
        expected.write_text(said)
    assert said == expected.read_text()


def test_there_are_many_cases():
    assert len(CASES) > 150


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_no_cut_of_a_bad_policy_is_too_bad(case, monkeypatch):
    """Whatever is left of a file that ends too soon, there is an answer and no traceback."""
    monkeypatch.chdir(case.parent)
    text = case.read_text()
    for end in range(0, len(text), 3):
        built = api.load(Source(case.name, text[:end]), directory=os.curdir)
        assert built.policy is not None or built.found
