"""The grammar, its tables, and lark as a second opinion on both."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import UnexpectedInput

from tcc.source import Source
from tcc.syntax.grammar import TABLES, build, generate, grammar_folder
from tcc.syntax.parser import parse
from tcc.syntax.tables import PATTERN
from tcc.units import Dimension, unit_of
from tests.syntax.policy_texts import policies
from tests.syntax.test_parser import POLICIES, SIGNS

# What is wrong with values; lark, which knows only the grammar, takes them.
OF_VALUES = {
    *("number-unit", "number-unit-apart", "number-malformed", "number-too-long"),
    *("minus-without-blanks", "address-malformed", "string-unclosed", "string-escape"),
    *("function-unknown", "name-not-ascii", "character-stray", "character-invisible"),
    *("control-character", "expression-too-long"),
}


@pytest.fixture(scope="module")
def lark() -> Lark:
    return build()


def accepts(lark: Lark, text: str) -> bool:
    try:
        lark.parse(text)
    except UnexpectedInput:
        return False
    return True


def test_tables_are_what_the_grammar_says() -> None:
    assert TABLES.read_text(encoding="utf-8") == generate(), "python -m tcc.syntax.grammar"


@pytest.mark.slow
@given(policies)
@settings(max_examples=25, deadline=None)
def test_lark_takes_what_the_parser_takes(lark: Lark, text: str) -> None:
    assert accepts(lark, text)


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_lark_agrees_on_what_is_wrong(lark: Lark, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(POLICIES)).read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.sampled_from([start, start + 1, start + 5]))
        text = text[:start] + data.draw(SIGNS) + text[end:]
    codes = {item.code for item in parse(Source("p.tcc", text))[1]}
    if not codes:
        assert accepts(lark, text)
    elif accepts(lark, text):
        assert codes <= OF_VALUES


TRICKY = st.text(st.sampled_from("a-_.0x:=<>!~/%ßof()\u0301\u00b2'\"\\\n é€٣"), max_size=12)


@pytest.mark.slow
@given(st.one_of(st.text(), TRICKY, st.lists(SIGNS).map("".join)))
@settings(max_examples=600, deadline=None)
def test_the_terminals_leave_nothing_out(text: str) -> None:
    at = 0
    for match in re.finditer(PATTERN, text):
        assert text[at : match.start()] == ""
        at = match.end()
    assert text[at:].strip(" \t\r") == ""


@pytest.mark.parametrize("name", ["RATE", "SIZE", "DURATION"])
def test_units_of_the_grammar_are_units_of_the_compiler(name: str) -> None:
    text = (grammar_folder() / "units.lark").read_text(encoding="utf-8")
    found = re.search(rf"^{name}: /(.*)/$", text, re.M)
    assert found
    pattern = re.compile(found[1].replace(r"\/", "/"))
    scales = ["", *"kmgtKMGT", *(f"{scale}{i}" for scale in "kmgtKMGT" for i in "iI")]
    words = {
        f"{scale}{unit}" for scale in scales for unit in ("bit", "Bit", "BIT", "B", "B/s", "b")
    }
    words |= {"ns", "us", "ms", "s", "min", "h", "NS", "m", "sec", "bps", "kB/S"}
    for word in words:
        known = unit_of(word)
        right = known is not None and known[0] is Dimension(name.lower())
        assert bool(pattern.fullmatch(word)) == right, word


def test_the_grammar_is_found_in_a_checkout() -> None:
    assert (grammar_folder() / "policy.lark").parent == Path(grammar_folder())
