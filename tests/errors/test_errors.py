"""Bad policies and what is said of them: `NAME.tcc` beside `NAME.txt`.

`pytest tests/errors --update-golden` writes the texts anew; read them before you keep them.
"""

from pathlib import Path

import pytest

from tcc.report import renderer
from tcc.source import Source
from tcc.syntax.read import read_source
from tests.errors.findings import findings

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*.tcc"))


def rendered(case: Path) -> str:
    source = read_source(str(case), case.name)
    if not isinstance(source, Source):
        return renderer("text")([source], {})
    return renderer("text")(findings(source), {source.path: source})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path, request: pytest.FixtureRequest) -> None:
    golden = case.with_suffix(".txt")
    text = rendered(case)
    assert text, "a case of this folder has something wrong with it"
    if request.config.getoption("--update-golden"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_every_text_has_its_policy() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == {case.stem for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_each_fix_mends(case: Path) -> None:
    source = read_source(str(case), case.name)
    if not isinstance(source, Source):
        return
    found = findings(source)
    for item in found:
        for fix in item.fixes:
            text = source.text[: fix.span.start] + fix.text + source.text[fix.span.end :]
            after = findings(Source(case.name, text))
            counts = [sum(each.code == item.code for each in some) for some in (found, after)]
            assert counts[1] < counts[0], (item, text)
