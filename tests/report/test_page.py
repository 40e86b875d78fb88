"""The page of a verification: whole, escaped, the same bytes, and true to its document."""

import base64
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tcc.cli.main import cli
from tcc.report.page.charts import Chart, Line, rates, scale_for, ticks
from tcc.report.page.fairness import jain
from tcc.report.page.html import Markup, data, tag
from tcc.report.page.page import HERE, Context, render
from tcc.report.page.svg import in_units, over_time
from tcc.report.page.words import margin, measured, quantity, what

POLICY = """
link wan {
    device "eth0"
    framing ethernet
    role router
    egress { bandwidth 4mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 6mbit; tiers diffserv4 }
}
objective "both </script><script>alert(1)</script> ways" {
    under rrul for 3s rtt 20ms
    require utilisation >= 50%
    require ping induced-latency p99 <= 4ms
}
"""
VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """A page read back: its elements, and whether each was closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, *names: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.elements if name in names)


def run(folder: Path, *more: str) -> str:
    policy, out = folder / "a<b>&.tcc", folder / "out.html"
    policy.write_text(POLICY)
    done = CliRunner().invoke(
        cli,
        ["verify", str(policy), "--no-mend", "--jobs", "1", "--report", str(out), *more],
        standalone_mode=False,
    )
    assert done.exception is None, done.output
    return done.output


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Return the page and the document of one run."""
    folder = tmp_path_factory.mktemp("page")
    document = json.loads(run(folder, "--json"))
    return (folder / "out.html").read_text(encoding="utf-8"), document


@pytest.fixture(scope="module")
def page(made: tuple[str, dict[str, Any]]) -> Page:
    return Page(made[0])


def test_no_text_of_a_policy_becomes_markup(page: Page):
    assert [one.get("type") for one in page.all("script")] == ["application/json", None]
    assert any("</script><script>alert(1)</script>" in text for text in page.texts["h2"])
    assert "alert(1)" not in "".join(page.texts["script"])


def test_nothing_is_fetched(made: tuple[str, dict[str, Any]], page: Page):
    for _, attributes in page.elements:
        for name in ("src", "srcset", "data", "action", "style"):
            assert name not in attributes
        for name in ("href", "xlink:href"):
            link = attributes.get(name)
            assert link is None or link.startswith("#") or link == "data:,"
    assert "@import" not in made[0]
    assert "url(" not in "".join(page.texts["style"])


def test_only_its_own_script_and_style_may_run(page: Page):
    """The hashes of the policy are those of the elements, computed here in another way."""
    (allowed,) = [
        one["content"] for one in page.all("meta") if one.get("http-equiv")
    ]  # fmt: skip
    assert allowed is not None
    assert allowed.startswith("default-src 'none'; ")
    assert "unsafe" not in allowed
    for text in (page.texts["style"][0], page.texts["script"][1]):
        digest = base64.b64encode(sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in allowed


def test_headings_go_down_one_at_a_time(page: Page):
    levels = [int(name[1]) for name, _ in page.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_everything_that_is_named_is_there(page: Page):
    ids = [one["id"] for _, one in page.elements if one.get("id")]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(name) in (None, *ids)
        link = attributes.get("href") or ""
        assert not link.startswith("#") or link[1:] in ids


def test_every_figure_has_a_heading_and_a_table(made: tuple[str, dict[str, Any]]):
    figures = re.findall(r"<figure.*?</figure>", made[0], re.DOTALL)
    assert len(figures) >= 10
    for figure in figures:
        assert figure.count("<h4>") == 1
        assert figure.count("<table") == 1
        assert "<caption>" in figure


def test_every_drawing_has_a_name(page: Page):
    for drawing in page.all("svg"):
        assert drawing.get("aria-label") or drawing.get("aria-hidden") == "true"


def test_the_charts_are_the_documents_series(made: tuple[str, dict[str, Any]], page: Page):
    """Megabits of the link in the page are bytes of its document; so are delays."""
    charts = {one["key"]: one for one in json.loads(page.texts["script"][0])}
    (objective,) = made[1]["objectives"]
    series = objective["runs"][0]["series"]
    goodput = charts["o0-egress-goodput"]
    wire = goodput["lines"][-1]
    assert (wire["name"], goodput["unit"]) == ("everything, on the wire", "Mbit/s")
    assert (goodput["step"], goodput["end"]) == (200, 3000)
    expected = [octets * 8 / 0.2 / 1e6 for octets in series["directions"]["egress"]["framed"]]
    assert [value / 1000 for value in wire["values"]] == pytest.approx(expected, abs=0.0011)
    tins = charts["o0-egress-tins"]["lines"]
    assert [line["name"] for line in tins] == ["Bulk", "Best Effort", "Voice"]
    latency = charts["o0-latency"]
    assert latency["unit"] == "ms"
    probes = [one["round_trip"]["mean"] for one in series["flows"] if one["round_trip"]]
    assert len(latency["lines"]) == len(probes) + 1
    for line, means in zip(latency["lines"], probes, strict=False):
        assert line["values"] == [None if one is None else one // 1000 for one in means]
    drops = charts["o0-egress-drops"]
    assert sum(sum(line["values"]) for line in drops["lines"]) > 0


def test_verdicts_are_in_words(made: tuple[str, dict[str, Any]]):
    assert "1 of 3 requirements is missed." in made[0]
    assert "delay added to a round trip, ping, for 99 of 100" in made[0]
    assert "share of the bandwidth used, upstream" in made[0]


def test_the_same_run_gives_the_same_bytes(made: tuple[str, dict[str, Any]], tmp_path: Path):
    run(tmp_path)
    again = (tmp_path / "out.html").read_text(encoding="utf-8")
    known = re.compile(r"/[^ <>\"]*/(?=a&lt;b)")
    assert known.search(again)
    assert known.sub("", again) == known.sub("", made[0])


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path):
    policy = tmp_path / "one.tcc"
    policy.write_text(POLICY.replace("3s", "200ms"))
    missing = tmp_path / "no" / "out.html"
    arguments = ["verify", str(policy), "--no-mend", "--report", str(missing)]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2
    assert f"Error: {missing}: No such file or directory" in done.output


def test_results_without_series_have_a_page_too(made: tuple[str, dict[str, Any]]):
    """A kernel's results, and those of an older version, have goodput by the second alone."""
    document = json.loads(json.dumps(made[1]))
    for objective in document["objectives"]:
        for name in ("load", "testbed"):
            del objective[name]
        for row in objective["requirements"]:
            for name in ("index", "subject", "metric", "statistic"):
                del row[name]
        for one in objective["runs"]:
            del one["series"]
    text = render(document, Context("0"))
    charts = json.loads(Page(text).texts["script"][0])
    assert [one["key"] for one in charts] == ["o0-egress-goodput", "o0-ingress-goodput"]
    assert charts[0]["step"] == 1000
    assert "ping induced-latency p99 &lt;= 4ms" in text


def test_uplot_is_the_published_one():
    """npm's own digest of the files of uplot 1.6.32, so that nobody edits them here."""
    known = {
        "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
        "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
        "LICENSE.txt": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
    }
    for name, digest in known.items():
        assert sha256((HERE / "uplot" / name).read_bytes()).hexdigest() == digest


# ------------------------------------------------------------------ the parts, by hand


def test_html_escapes_everything_but_markup():
    assert tag("p", 'a<b & "c"', title='"><x') == (
        '<p title="&quot;&gt;&lt;x">a&lt;b &amp; &quot;c&quot;</p>'
    )
    assert tag("ul", (tag("li", one) for one in "<>")) == "<ul><li>&lt;</li><li>&gt;</li></ul>"
    assert tag("td", Markup("<b>x</b>"), None, class_="n", hidden=True, id=None) == (
        '<td class="n" hidden><b>x</b></td>'
    )
    assert tag("p", "a\u202eb\x1b") == "<p>a\\u202eb\\x1b</p>"


def test_data_cannot_end_its_element():
    text = data({"a": "</script><!--&\u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script><!--&\u2028"}


@pytest.mark.parametrize(
    ("least", "most", "wanted", "marks"),
    [
        (0, 0, 5, [0]),
        (0, 5, 5, [0, 1, 2, 3, 4, 5]),
        (0, 7, 5, [0, 2, 4, 6, 8]),
        (0, 38_123, 5, [0, 10_000, 20_000, 30_000, 40_000]),
        (40_012, 47_500, 5, [40_000, 42_000, 44_000, 46_000, 48_000]),
    ],
)
def test_ticks_are_round(least: int, most: int, wanted: int, marks: list[int]):
    found = ticks(least, most, wanted)
    assert found == marks
    assert found[0] <= least <= most <= found[-1]


def test_rates_of_a_short_last_interval():
    """1000 bytes in 100 ms are 80 kbit/s; in the half interval at the end, 160."""
    assert rates([1000, 1000], 100_000_000, 150_000_000) == (80_000, 160_000)


def test_a_drawing_by_hand():
    """Two intervals of 1 s, 2 and 4 packets: at 1/2 and all of the width, half and all of it."""
    line = Line("x", (2, None, 4))
    chart = Chart("k", "t", "count", (line,), 1_000_000_000, 3_000_000_000)
    assert chart.times() == [1000, 2000, 3000]
    across, down = 6400 - 560 - 120, 3000 - 220 - 280
    x, y = 560 + across // 3, 220 + down // 2
    assert f'd="M{x} {y}M{560 + across} 220"' in over_time(chart)


def test_units_and_words():
    assert scale_for("delay", 47_000_000) == (1_000_000, "ms")
    assert scale_for("rate", 1_900_000) == (1000, "kbit/s")
    assert in_units(38_120) == "38.12"
    assert jain([1, 1, 1, 1]) == 1
    assert jain([4, 0, 0, 0]) * 4 == 1
    row = {
        "text": "utilisation >= 95%", "metric": "utilisation", "subject": None, "statistic": None,
        "direction": "egress", "unit": "ratio", "bound": "19/20", "measured": ["24/25", "98/100"],
        "interval": ["9/10", 1],
    }  # fmt: skip
    assert what(row) == "share of the bandwidth used, upstream"
    assert measured(row) == "97 % (95 % sure: 90 % to 100 %)"
    assert margin(row) == "2.11 % above"
    assert quantity(None, "rate") == "nothing"
