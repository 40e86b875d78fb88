"""Every finding has a page, and a test that provokes it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tcc import api
from tcc.pages import SECTIONS, codes, page
from tcc.source import Source

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"[a-z][a-z0-9_]*(-[a-z0-9_]+)+|unexpected|unreadable")
MAKERS = {
    "error",
    "warning",
    "note",
    "missing",
    "_error",
    "Diagnostic",
    "Complaint",
    "unknown_word",
}
"""Functions that take the code of a finding first, or as `code`."""


def codes_in(source: Path) -> Iterator[str]:
    """Yield the literals that stand where a function takes the code of a finding."""
    tree = ast.parse(source.read_text())
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name not in MAKERS:
            continue
        places = [*node.args[:1], *node.args[3:4]]  # `unknown_word` takes it fourth
        places += [keyword.value for keyword in node.keywords if keyword.arg == "code"]
        for place in places:
            if isinstance(place, ast.Constant) and isinstance(place.value, str):
                if CODE.fullmatch(place.value):
                    yield place.value
            elif isinstance(place, ast.IfExp):
                yield from (
                    each.value
                    for each in (place.body, place.orelse)
                    if isinstance(each, ast.Constant) and CODE.fullmatch(str(each.value))
                )


def used() -> dict[str, str]:
    """Return the codes that the compiler and its plugins use, with one file that does."""
    return {
        code: str(source.relative_to(ROOT))
        for folder in ("tcc", "plugins")
        for source in sorted((ROOT / folder).rglob("*.py"))
        for code in codes_in(source)
    }


def test_every_code_has_a_page():
    without = {code: source for code, source in used().items() if code not in codes()}
    assert without == {}


def test_every_code_is_provoked_by_a_test():
    texts = "\n".join(
        path.read_text()
        for pattern in ("*.py", "*.txt", "*.golden")
        for path in sorted((ROOT / "tests").rglob(pattern))
        if path != Path(__file__)
    )
    words = set(CODE.findall(texts)) and set(re.findall(r"[a-z][a-z0-9_]*(?:-[a-z0-9_]+)*", texts))
    assert {code: source for code, source in used().items() if code not in words} == {}


@pytest.mark.parametrize("code", sorted(codes()))
def test_a_page_has_its_sections(code):
    text = page(code)
    assert text is not None
    title, *rest = text.splitlines()
    assert title.startswith(f"# {code}: ")
    assert [line.removeprefix("## ") for line in rest if line.startswith("## ")] == [*SECTIONS]


@pytest.mark.parametrize("code", sorted(codes()))
def test_a_page_names_its_sources(code):
    text = page(code) or ""
    sources = text.partition("## References\n")[2].strip().splitlines()
    assert sources
    assert all(line.startswith(("- ", "  ")) for line in sources)


def test_codes_without_a_page_have_none():
    assert page("no-such-code") is None


FENCE = re.compile(r"^```(tcc|json)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OF_READING = [
    code
    for code in sorted(codes())
    if any(
        code in used_in.read_text()
        for folder in ("passes", "syntax")
        for used_in in (ROOT / "tcc" / folder).glob("*.py")
    )
    and FENCE.search(page(code) or "")
]


@pytest.mark.parametrize("code", OF_READING)
def test_the_example_of_a_page_provokes_its_finding(code):
    language, text = FENCE.search(page(code) or "").groups()
    name = "example.tcc" if language == "tcc" else "example.tcc.json"
    assert code in {item.code for item in api.load(Source(name, text)).found}
