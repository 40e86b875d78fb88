"""docs/reports.md: every reported mistake, and what handles it. `make docs` writes it anew."""

import re
from pathlib import Path

import pytest

from tests.checks.report_rows import HANDLED, ROWS
from tests.checks.reports import ALL, FOUND, MADE_IMPOSSIBLE, OFF_THE_TEXT

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reports.md"
ITEMS = "tests/checks/test_reports.py"
HEAD = """\
# Reported mistakes, and what handles each

These are public reports about tc, sqm, wondershaper, systemd-networkd, VyOS and others. *Lint* rows
are found in the text of a policy by the rule named; *language* rows cannot be written; the others
need a host, and name the command that they belong to. Each row names the test that carries its
number or its behaviour; a row without one is not handled yet. The table is made from the tests by
`make docs`.

| row | reported | what went wrong | where | handled by | test |
|---|---|---|---|---|---|
"""


def handled(row: str) -> tuple[str, str, str]:
    """Return the stage, the rule or mechanism, and the test of a row."""
    if row in FOUND:
        return "lint", f"`{FOUND[row].code}`", f"{ITEMS}::test_found[{row}]"
    if row in MADE_IMPOSSIBLE:
        because, _, code = MADE_IMPOSSIBLE[row]
        rule = f"{because} (`{code}`)" if code else because
        return "language", rule, f"{ITEMS}::test_made_impossible[{row}]"
    mechanism, test = HANDLED[row]
    return OFF_THE_TEXT[row], mechanism, f"tests/{test}" if test else ""


def line(row: str) -> str:
    stage, rule, test = handled(row)
    name = f"`{test.removeprefix('tests/')}`" if test else "not yet"
    return f"| {row} | {ROWS[row].source} | {ROWS[row].symptom} | {stage} | {rule} | {name} |\n"


def test_every_row_is_told():
    assert sorted(ROWS) == sorted(ALL)
    assert sorted(HANDLED) == sorted(OFF_THE_TEXT)


def test_the_table_is_the_tests(request: pytest.FixtureRequest):
    counts = [sum(row in rows for row in ALL) for rows in (FOUND, MADE_IMPOSSIBLE, OFF_THE_TEXT)]
    open_ = sum(not test for _, _, test in map(handled, ALL))
    foot = (
        f"\n{len(ALL)} rows: {counts[0]} found by lint, {counts[1]} made impossible by the "
        f"language, {counts[2]} with a host; {open_} are not handled yet.\n"
    )
    text = HEAD + "".join(map(line, ALL)) + foot
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text


@pytest.mark.parametrize("row", ALL)
def test_the_test_of_a_row_is_there(row):
    test = handled(row)[2]
    if not test:
        return
    path, name = re.sub(r"\[.*", "", test).split("::")
    assert f"def {name}(" in (ROOT / path).read_text(), f"{row}: {test}"
