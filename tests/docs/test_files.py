"""Files that a page shows are shown as they are; `make docs` copies them anew."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"<!-- file: (\S+) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if SHOWN.search(page.read_text())]


def with_file(found: re.Match[str]) -> str:
    text = (ROOT / found[1]).read_text()
    return f"<!-- file: {found[1]} -->\n```{found[2]}\n{text}```\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_are_shown_as_they_are(page, request):
    shown = SHOWN.sub(with_file, page.read_text())
    if request.config.getoption("--update-golden"):
        page.write_text(shown)
    assert page.read_text() == shown
