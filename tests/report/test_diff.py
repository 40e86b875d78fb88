"""Two results on one page, and files that hold none."""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tcc.cli.main import cli
from tcc.report.page.diff import render
from tcc.report.page.page import Context
from tcc.report.page.page import render as render_one
from tcc.verify.reading import read_results
from tests.report.test_page import Page

POLICY = """
link wan {{
    device "eth0"
    framing ethernet
    egress {{ bandwidth {up}; tiers besteffort }}
}}
objective "uploads" {{
    under tcp_nup 2 flows for 1s rtt 20ms
    require egress sojourn p99 <= {bound}
    require ping induced-latency p99 <= 100ms
}}
objective "only in {up}" {{ under voip for 1s rtt 20ms; require voip loss <= 1% }}
"""


def tcc(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), standalone_mode=False)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the results of a slower and of a faster link."""
    folder = tmp_path_factory.mktemp("kept")
    found = []
    for up, bound in (("3mbit", "5ms"), ("6mbit", "500ms")):
        policy = folder / f"{up}.tcc"
        policy.write_text(POLICY.format(up=up, bound=bound))
        done = tcc("verify", str(policy), "--no-mend", "--jobs", "1", "--json", "--series")
        assert done.exception is None, done.output
        found.append(folder / f"{up}.json")
        found[-1].write_text(done.stdout)
    return found[0], found[1]


@pytest.fixture(scope="module")
def document(kept: tuple[Path, Path]) -> dict[str, Any]:
    found, wrong = read_results(str(kept[0]))
    assert not wrong
    return dict(found or {})


def test_what_changed(kept: tuple[Path, Path], tmp_path: Path):
    out = tmp_path / "out.html"
    assert tcc("report", "diff", *map(str, kept), "-o", str(out)).return_value == 0
    text = out.read_text(encoding="utf-8")
    page = Page(text)
    slow, fast = (json.loads(path.read_text()) for path in kept)
    charts = {one["key"]: one for one in json.loads(page.texts["script"][0])}
    lines = charts["o0-egress-throughput"]["lines"]
    assert [line["name"] for line in lines] == ["A", "B"]
    for line, results in zip(lines, (slow, fast), strict=True):
        octets = results["objectives"][0]["runs"][0]["series"]["directions"]["egress"]["framed"]
        unit = {"Mbit/s": 1e6, "kbit/s": 1e3}[charts["o0-egress-throughput"]["unit"]]
        expected = [one * 8 / 0.2 / unit for one in octets]
        assert [value / 1000 for value in line["values"]] == pytest.approx(expected, abs=0.0011)
    assert [line["name"] for line in charts["o0-latency"]["lines"]] == [
        "A: tcp_nup ping CS0", "B: tcp_nup ping CS0",
    ]  # fmt: skip
    assert "Of 2 common requirements: 1 held in B alone." in text
    assert "at most 5 ms, then at most 500 ms" in text
    assert "Only in A: only in 3mbit" in text
    assert "Only in B: only in 6mbit" in text


def test_a_goodput_doubled_is_100_percent_more(document: dict[str, Any]):
    twice = deepcopy(document)
    for flow in twice["objectives"][0]["runs"][0]["flows"]:
        flow["goodput"] *= 2
    text = render(document, twice, ("a", "b"), "0")
    row = text[text.index("goodput upstream") :]
    assert "<td>+100 %</td>" in row[: row.index("</tr>")]


def test_the_same_results_have_not_changed(document: dict[str, Any]):
    text = render(document, document, ("a", "a"), "0")
    assert "The verdicts of all 4 common requirements are the same." in text
    assert "Nothing: load, testbed, times, seeds and verifier are the same." in text


def test_without_series_nothing_is_drawn(document: dict[str, Any]):
    bare = deepcopy(document)
    for objective in bare["objectives"]:
        del objective["runs"][0]["series"]
    text = render(document, bare, ("a", "b"), "0")
    assert "Nothing is drawn" in text
    assert "script" not in Page(text).texts


def test_a_prediction_and_a_measurement_are_a_pair(document: dict[str, Any]):
    """Who measured makes a difference only where both documents have several of one objective."""
    other = deepcopy(document)
    for objective in other["objectives"]:
        objective["verifier"] = "kernel"
    text = render(document, other, ("a", "b"), "0")
    assert "The verdicts of all 4 common requirements are the same." in text
    both = {**other, "objectives": [*other["objectives"], *document["objectives"]]}
    text = render(document, both, ("a", "b"), "0")
    assert "The verdicts of all 4 common requirements are the same." in text
    assert text.count("Only in B: ") == 2


def test_nothing_in_common(document: dict[str, Any]):
    other = deepcopy(document)
    for objective in other["objectives"]:
        objective["text"] += "!"
    text = render(document, other, ("<a>", "b"), "0")
    assert "Nothing in them can be compared." in text
    assert "&lt;a&gt;" in text


# ------------------------------------------------------------------ files of other people


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON: Expecting value in line 1"),
        ("{", "not JSON"),
        ("[]", "[] is not of type 'object'"),
        ("[" * 100_000, "lists within lists without end"),
        ("1" * 5000, "a number of thousands of digits"),
        ('{"version": 2, "policy": "", "target": null, "objectives": []}', "1 was expected"),
    ],
)
def test_files_that_hold_no_results(tmp_path: Path, text: str, words: str):
    path = tmp_path / "x.json"
    path.write_text(text)
    done = tcc("report", "diff", str(path), str(path))
    assert done.return_value == 2
    assert "error[results-malformed]" in done.output
    assert words in done.output


def test_a_file_that_is_not_there(tmp_path: Path):
    done = tcc("report", "diff", str(tmp_path / "no"), str(tmp_path / "no"))
    assert done.return_value == 2
    assert "file-unreadable" in done.output


def test_what_a_schema_cannot_say(document: dict[str, Any], tmp_path: Path):
    wrong = deepcopy(document)
    run = wrong["objectives"][0]["runs"][0]
    run["series"]["flows"][0]["payload"].pop()
    run["series"]["directions"]["egress"]["sojourn"]["quantiles"].pop()
    run["flows"].pop()
    run["flows"][0]["goodput"] = 10**30
    path = tmp_path / "x.json"
    path.write_text(json.dumps(wrong))
    _, found = read_results(str(path))
    place = "$.objectives[0].runs[0]"
    link = f"{place}.series.directions.egress"
    assert [(one.path, one.message) for one in found] == [
        (f"{place}.flows[0].goodput", "no measurement is as large as that"),
        (f"{place}.flows", "there are 2, and 3 in the objective"),
        (f"{link}.sojourn.quantiles", "there are 102 quantiles, and not 103"),
        (f"{place}.series.flows[0].payload", "there are 4 values, and 5 intervals"),
    ]  # fmt: skip


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*path, key))
    elif isinstance(value, list):
        for number, one in enumerate(value[:2]):
            yield from places(one, (*path, number))


STRANGE = (None, -1, 0, 1.5, 10**30, "", "</script>", "1/0", "9" * 199, [], {}, [1], True)


@pytest.mark.parametrize("seed", range(3))
def test_altered_results_are_refused_or_shown(document: dict[str, Any], seed: int, tmp_path: Path):
    """Whatever one value is replaced by: a finding, or a page; never a traceback."""
    chance = random.Random(seed)
    known = [path for path in places(document) if path]
    refused = 0
    for _ in range(12):
        altered = deepcopy(document)
        path = chance.choice(known)
        value: Any = altered
        for step in path[:-1]:
            value = value[step]
        value[path[-1]] = chance.choice(STRANGE)
        file = tmp_path / "x.json"
        file.write_text(json.dumps(altered))
        found, wrong = read_results(str(file))
        if found is None:
            assert {one.code for one in wrong} == {"results-malformed"}
            refused += 1
            continue
        Page(render(document, found, ("a", "b"), "0"))
        Page(render(found, document, ("a", "b"), "0"))
        Page(render_one(found, Context("0")))
    assert refused > 0
