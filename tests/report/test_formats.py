"""The formats of findings: against their schemas and parsers, and with hostile text."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from tcc.diagnostics import Diagnostic, Fix, Severity, error, note, warning
from tcc.report import FORMATS, renderer, text
from tcc.report.excerpt import WIDEST, excerpt
from tcc.source import Source, Span
from tcc.visible import visible, width

# OASIS, Static Analysis Results Interchange Format 2.1.0 (RTM 5).
SCHEMA = Path(__file__).parents[1] / "data/sarif-2.1.0-rtm.5.json"

HOSTILE = 'a\x1b[2J\u202e%,:\n&<"]]>\udce4.tcc'
TEXT = "link wan {\n\tburst 1000B # \u5bb6\x1b[31m\n}\n"


def at(start: int, end: int, path: str = "home.tcc") -> Span:
    return Span(path, start, end)


@pytest.fixture
def sources() -> dict[str, Source]:
    return {path: Source(path, TEXT) for path in ("home.tcc", HOSTILE)}


@pytest.fixture
def found() -> list[Diagnostic]:
    fix = Fix("write `1514B`", at(18, 23), "1514B", safe=False)
    return [
        error(
            "tbf-burst-below-frame",
            at(18, 23),
            "burst of 1000 B, 100% <wrong>",
            "why: a,b",
            fix=fix,
        ),
        warning("odd-name", at(0, 4, HOSTILE), f"in {HOSTILE} & more"),
        note("by-the-way", at(len(TEXT), len(TEXT)), "the end"),
        Diagnostic("file-unreadable", Severity.ERROR, "no such file", at(0, 0, "none.tcc")),
        Diagnostic("schema", Severity.ERROR, "not a number", None, "$.links[0].device"),
        Diagnostic(
            *("twice", Severity.ERROR, "two lines", at(5, 20), None, (), ()),
            (("first here", at(0, 4)),),
        ),
    ]


def test_text(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    assert text.render(found[:1] + found[5:], sources) == (
        "home.tcc:2:8: error[tbf-burst-below-frame]: burst of 1000 B, 100% <wrong>\n"
        "  2 |     burst 1000B # \u5bb6\\x1b[31m\n"
        "    |           ^^^^^\n"
        "  = why: a,b\n"
        "  help: replace with `1514B`, if that is what you mean\n"
        "home.tcc:1:6: error[twice]: two lines\n"
        "  1 | link wan {\n"
        "    |      ^^^^^\n"
        "home.tcc:1:1: note: first here\n"
        "  1 | link wan {\n"
        "    | ^^^^\n"
        "2 errors\n"
    )


def test_text_of_places_that_cannot_be_shown(
    found: list[Diagnostic], sources: dict[str, Source]
) -> None:
    result = text.render([*found[2:5]], {"home.tcc": sources["home.tcc"]})
    assert result == (
        "home.tcc:4:1: note[by-the-way]: the end\n  4 |\n    | ^\n"
        "none.tcc: error[file-unreadable]: no such file\n"
        "home.tcc: $.links[0].device: error[schema]: not a number\n"
        "2 errors, 1 note\n"
    )


def test_colour_only_when_asked(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    plain = text.render(found, sources)
    coloured = text.render(found, sources, color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_acts_on_a_terminal(
    name: str, found: list[Diagnostic], sources: dict[str, Source]
) -> None:
    result = renderer(name)(found, sources)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", result)
    assert result.encode("utf-8")
    assert renderer(name)(found, sources) == result


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(KeyError):
        renderer("excerpt")


def test_concise(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    lines = renderer("concise")(found, sources).splitlines()
    assert len(lines) == len(found)
    assert lines[0] == ("home.tcc:2:8: error[tbf-burst-below-frame]: burst of 1000 B, 100% <wrong>")
    assert lines[1].startswith('a\\x1b[2J\\u202e%,:\\x0a&<"]]>\\xe4.tcc:1:1: warning[odd-name]: ')


def test_json(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    document = json.loads(renderer("json")(found, sources))
    assert document["version"] == 1
    assert document["summary"] == {"errors": 4, "warnings": 1, "notes": 1}
    first = document["diagnostics"][0]
    assert first["span"] == {
        "start": {"offset": 18, "line": 2, "column": 8},
        "end": {"offset": 23, "line": 2, "column": 13},
    }
    assert first["fixes"][0]["text"] == "1514B"
    assert first["fixes"][0]["safe"] is False
    assert document["diagnostics"][1]["file"] == HOSTILE
    assert document["diagnostics"][3]["span"] is None
    assert document["diagnostics"][4]["path"] == "$.links[0].device"


def test_sarif_is_valid(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for some in (found, []):
        log = json.loads(renderer("sarif")(some, sources))
        assert list(Draft4Validator(schema).iter_errors(log)) == []


def test_sarif(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    run = json.loads(renderer("sarif")(found, sources))["runs"][0]
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "tbf-burst-below-frame"
    assert result["level"] == "error"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (2, 8, 13)
    change = result["fixes"][0]["artifactChanges"][0]
    assert change["replacements"][0]["insertedContent"] == {"text": "1514B"}
    assert [item["level"] for item in run["results"][:3]] == ["error", "warning", "note"]
    uri = run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"[A-Za-z0-9%._/~-]+", uri)


def test_fingerprints_stay_when_lines_move(found: list[Diagnostic]) -> None:
    def prints(shift: int) -> list[str]:
        moved = Source("home.tcc", "# new\n" * shift + TEXT)
        same = [error("a", at(18 + 6 * shift, 23 + 6 * shift), "one") for _ in range(2)]
        run = json.loads(renderer("sarif")(same, {"home.tcc": moved}))["runs"][0]
        return [item["partialFingerprints"]["tccFinding/v1"] for item in run["results"]]

    assert prints(0) == prints(3)
    assert len(set(prints(0))) == 2


def test_github(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    lines = renderer("github")(found, sources).splitlines()
    assert len(lines) == len(found)
    assert lines[0] == (
        "::error file=home.tcc,line=2,endLine=2,col=8,endColumn=13,title=tbf-burst-below-frame"
        "::burst of 1000 B, 100%25 <wrong>%0Awhy: a,b"
        "%0Ahelp: replace with `1514B`, if that is what you mean"
    )
    assert lines[1].startswith('::warning file=a\\x1b[2J\\u202e%25%2C%3A%0A&<"]]>\\xe4.tcc,line=1,')
    assert lines[2].startswith("::notice file=home.tcc,line=4,")
    assert lines[5].startswith("::error file=home.tcc,line=1,endLine=2,title=twice::")


def test_junit(found: list[Diagnostic], sources: dict[str, Source]) -> None:
    clean = {"clean.tcc": Source("clean.tcc", "")}
    root = ET.fromstring(renderer("junit")(found, sources | clean))
    suite = root[0]
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) == "7"
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) == "5"
    assert cases[0].get("classname") == "clean.tcc"
    assert list(cases[0]) == []
    failure = cases[1].find("failure")
    assert failure is not None
    assert failure.get("type") == "error"
    assert failure.get("message") == "burst of 1000 B, 100% <wrong>"
    assert failure.text
    assert failure.text.startswith("home.tcc:2:8: burst of 1000 B, 100% <wrong>\nwhy: a,b\n")


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("\u5bb6\u5ead", 4), ("e\u0301", 1), ("\uff21", 2), ("\u00e4", 1)],
)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("line", "start", "end", "shown", "carets"),
    [
        ("\ta b", 3, 4, "    a b", "      ^"),
        ("\u5bb6\u5ead x", 3, 4, "\u5bb6\u5ead x", "     ^"),
        ("a\tb", 0, 3, "a    b", "^^^^^^"),
        ("ab\x00c", 3, 4, "ab\\x00c", "      ^"),
        ("ab", 2, 2, "ab", "  ^"),
    ],
)
def test_carets_stand_under_the_words(
    line: str, start: int, end: int, shown: str, carets: str
) -> None:
    assert excerpt(Source("p", line), at(start, end, "p")) == ("1", shown, carets)


def test_long_lines_are_cut_around_the_words() -> None:
    line = "x" * 5000 + "HERE" + "y" * 5000
    _, shown, carets = excerpt(Source("p", line), at(5000, 5004, "p"))
    assert len(shown) <= WIDEST + 1
    assert shown[carets.index("^") : carets.rindex("^") + 1] == "HERE"


def test_visible_keeps_letters_of_all_scripts() -> None:
    assert visible("\u5bb6 e\u0301 \u0627\u0644") == "\u5bb6 e\u0301 \u0627\u0644"
    assert visible("\x9b\u200e\n") == "\\x9b\\u200e\\x0a"
