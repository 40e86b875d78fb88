"""Colours: every word of the one grammar has one, and nothing else has.

The TextMate grammar is read by a small engine of its own here: its patterns are tried in their
order at each place, as TextMate does. The Pygments lexer must colour alike.
"""

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Error, Keyword, Name, Operator, Token

from tcc import language
from tcc.highlight import textmate, words
from tcc.syntax import tables
from tcc.syntax.lexer import tokens

ROOT = Path(__file__).parents[2]
VSCODE = ROOT / "editors/vscode"
GRAMMAR = json.loads((VSCODE / "syntaxes/tcc.tmLanguage.json").read_text())
PATTERNS = [(one["name"], re.compile(one["match"], re.MULTILINE)) for one in GRAMMAR["patterns"]]
POLICIES = [*ROOT.glob("docs/examples/*.tcc"), *ROOT.glob("tests/clean/*.tcc")]
PLAIN = "variable.other.tcc"


def scopes(text: str) -> list[tuple[str, str]]:
    """Return what is coloured, with its scope, as TextMate would."""
    found, at = [], 0
    while at < len(text):
        for name, pattern in PATTERNS:
            match = pattern.match(text, at)
            if match and match.end() > at:
                found.append((name, match[0]))
                at = match.end()
                break
        else:
            at += 1
    return found


def scope(word: str, before: str = "", behind: str = "") -> str:
    text = f"{before}{word}{behind}"
    return next(name for name, found in scopes(text) if found.strip(": ") == word)


def clause_words() -> set[str]:
    return {word for block in language.BLOCKS.values() for word in block} | {*language.CONDITIONS}


@pytest.mark.parametrize("word", sorted(clause_words()))
def test_every_word_that_starts_a_clause(word):
    assert scope(word) == "keyword.other.clause.tcc"


@pytest.mark.parametrize(
    "word",
    sorted(
        {
            *language.FRAMINGS, *language.RTT_PRESETS, *language.TIN_MODES, *language.DSCP_WORDS,
            *language.WISHES, *language.FLOW_MODES, *language.METRICS, *language.STATISTICS,
            *language.TINS, *language.PROTOCOLS, *language.PREDEFINED_WORKLOADS,
            "within", "facing", "matching", "flows", "each", "total", "upload", "port", "subnet",
        }
        - clause_words()
    ),
)  # fmt: skip
def test_every_word_that_stands_behind_one(word):
    assert scope(word) == "support.constant.tcc"


def test_the_grammars_own_words():
    assert scope("prefer") == scope("of") == "keyword.operator.word.tcc"
    assert scope("min", behind="(") == scope("max", behind=" (") == "support.function.tcc"
    for type_ in language.PARAM_TYPES:
        assert scope(type_, before="param x : ") == "storage.type.tcc"


@pytest.mark.parametrize(
    "word",
    ["wan", "online", "bandwidths", "my-bandwidth", "link-2", "egress_rate", "sync_up", "rate",
     "prefers", "often", "bandwith", "per-hosts", "minimum", "device.x", "Bandwidth"],
)  # fmt: skip
def test_nothing_else(word):
    assert scope(word) == PLAIN


def test_coloured_words_are_words_of_the_language():
    known = clause_words() | {*language.RESERVED_VALUES, *language.RESERVED_SUBJECTS}
    known |= {*language.STATISTICS, *language.TINS, *language.PREDEFINED_WORKLOADS}
    known |= {*language.PARAM_TYPES}
    shown = " ".join(
        entry.syntax for block in (*language.BLOCKS.values(), language.CONDITIONS)
        for entry in block.values()
    )  # fmt: skip
    for word in words.CLAUSES | words.VALUES | words.TYPES | words.OPERATORS | words.FUNCTIONS:
        assert word in known or re.search(rf"(?<![\w-]){word}(?![\w-])", shown), word


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_units_as_the_one_grammar_cuts_them(path):
    """What the language's own lexer takes for one word is one coloured piece."""
    text = path.read_text()
    kinds = {
        tables.NUMBER: "constant.numeric.tcc", tables.ADDRESS: "constant.other.address.tcc",
        tables.STRING: "string.quoted.double.tcc",
    }  # fmt: skip
    ours = [
        (kinds[kind], text[start:end])
        for kind, start, end in tokens(text, path.name, [])
        if kind in kinds
    ]
    theirs = [item for item in scopes(text) if item[0] in kinds.values()]
    assert theirs == ours


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_pygments_colours_alike(path):
    text = path.read_text()
    kinds = {
        Keyword: "keyword.other.clause.tcc", Keyword.Type: "storage.type.tcc",
        Name.Constant: "support.constant.tcc", Name: PLAIN,
        Operator.Word: "keyword.operator.word.tcc", Name.Builtin: "support.function.tcc",
    }  # fmt: skip
    found = list(get_lexer_by_name("tcc").get_tokens(text))
    assert not [word for kind, word in found if kind in Error or kind is Token]
    ours = [(kinds[kind], word) for kind, word in found if kind in kinds]
    assert ours == [item for item in scopes(text) if item[0] in kinds.values()]


def test_pygments_finds_the_lexer_by_its_entry_point():
    [point] = metadata.entry_points(group="pygments.lexers", name="tcc")
    assert point.dist.name == "tcpolicy"
    assert get_lexer_for_filename("home.tcc").name == "tcc policy"


def test_the_file_is_what_the_tables_say():
    assert (VSCODE / "syntaxes/tcc.tmLanguage.json").read_text() == textmate.text()
    command = [sys.executable, "-m", "tcc.highlight.textmate"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_extension_names_what_is_there():
    package = json.loads((VSCODE / "package.json").read_text())
    [known] = package["contributes"]["languages"]
    [colours] = package["contributes"]["grammars"]
    assert (known["id"], known["extensions"]) == ("tcc", [".tcc"])
    assert colours["scopeName"] == GRAMMAR["scopeName"]
    for name in (package["main"], known["configuration"], colours["path"]):
        assert (VSCODE / name).is_file()
    json.loads((VSCODE / known["configuration"]).read_text())
    assert package["contributes"]["configuration"]["properties"]["tcc.command"]["default"] == [
        "tcpolicy",
        "lsp",
    ]
