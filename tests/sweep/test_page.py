"""The page of a sweep: its numbers are those of the document, and it asks nobody for anything."""

import json
import re
from html.parser import HTMLParser
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc.source import Span
from tcc.sweep.axes import Axis
from tcc.sweep.heat import panels
from tcc.verify.judge import in_words

GRID = ("--vary", "up=1mbit..3mbit/3", "--vary", "wan.egress.rtt=10ms,50ms")
NOWHERE = Span("x", 0, 0)


class Reader(HTMLParser):
    """Collects tables by caption, and every attribute that could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.loads: list[str] = []
        self.drawn: list[str] = []
        self.inside: list[str] = []
        self.caption = ""

    def handle_starttag(self, tag, attrs):
        self.inside.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href") and value]
        if tag == "caption":
            self.caption = ""
        elif tag == "tr":
            self.tables.setdefault(self.caption, []).append([])
        elif tag in ("td", "th"):
            self.tables[self.caption][-1].append("")
        elif tag == "svg":
            self.drawn.append(dict(attrs)["aria-label"])

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if "caption" in self.inside:
            self.caption += data
        elif "td" in self.inside or "th" in self.inside:
            self.tables[self.caption][-1][-1] += data


def test_every_point_is_in_the_table_with_its_figures(tcc, here):
    done = tcc("sweep", "tiny.tcc", *GRID, "--json", "--report", "out.html")
    assert done.code == 0
    reader = Reader()
    reader.feed((here / "out.html").read_text())
    head, *rows = reader.tables["Every point"]
    points = json.loads(done.out)["points"]
    assert [row[:2] for row in rows] == [list(point["settings"].values()) for point in points]
    column = head.index("egress goodput")
    for row, point in zip(rows, points, strict=True):
        [rate] = point["objectives"][0]["figures"]["egress goodput"]
        shown = re.sub(r" (\w)bit/s", r"\1bit", row[column]).lower()
        assert shown == in_words(rate, "rate")


def test_the_front_is_the_documents(tcc, here):
    done = tcc("sweep", "tiny.tcc", *GRID, "--json", "--report", "out.html")
    document = json.loads(done.out)
    reader = Reader()
    reader.feed((here / "out.html").read_text())
    [_, *rows] = reader.tables["The front of egress goodput against induced-latency p99"]
    [front, _] = document["objectives"][0]["fronts"]
    expected = [list(document["points"][number]["settings"].values()) for number in front["points"]]
    assert [row[:2] for row in rows] == expected


def test_it_needs_nothing_else_and_is_the_same_bytes(tcc, here):
    for name in ("a.html", "b.html"):
        tcc(
            "sweep", "tiny.tcc", *GRID, "--report", name, "--jobs", "1" if name == "a.html" else "2"
        )
    text = (here / "a.html").read_text()
    assert text == (here / "b.html").read_text()
    reader = Reader()
    reader.feed(text)
    assert all(one.startswith(("#", "data:")) for one in reader.loads)
    assert 'Content-Security-Policy" content="default-src' in text
    assert "style=" not in re.sub(
        r"<style>.*?</style>|<script.*?</script>", "", text, flags=re.DOTALL
    )
    assert len(reader.drawn) == 1 + 4  # the front; two requirements, rate and delay
    assert len(text) < 60_000
    assert "<script" not in text


@pytest.mark.slow
def test_a_large_grid_is_a_page_that_can_be_mailed(tcc, here):
    """Of 360 points and four figures, each with a map, a front and a line of the table."""
    vary = ("--vary", "up=1mbit..12mbit/45", "--vary", "wan.egress.rtt=10ms..80ms/8")
    assert tcc("sweep", "tiny.tcc", *vary, "--report", "out.html").code in (0, 1)
    text = (here / "out.html").read_text()
    reader = Reader()
    reader.feed(text)
    assert len(reader.tables["Every point"]) == 1 + 360
    assert text.count("<rect ") == 4 * 360
    assert len(text) < 300_000


def test_what_a_policy_says_is_no_markup(tcc, here):
    text = (here / "tiny.tcc").read_text().replace('"tiny"', '"<b>&amp;</b><script>"')
    (here / "tiny.tcc").write_text(text)
    assert tcc("sweep", "tiny.tcc", *GRID[:2], "--report", "out.html").code == 0
    page = (here / "out.html").read_text()
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;&lt;script&gt;" in page


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_the_panels_hold_every_point_once_in_its_place(sizes):
    axes = [
        Axis(f"a{number}", tuple(str(value) for value in range(size)), NOWHERE, (NOWHERE,) * size)
        for number, size in enumerate(sizes)
    ]
    order = list(product(*(axis.values for axis in axes)))  # as Grid.points has it
    seen = []
    for panel in panels(axes):
        for y, row in enumerate(panel.points):
            for x, point in enumerate(row):
                seen.append(point)
                settings = dict(zip((axis.name for axis in axes), order[point], strict=True))
                assert settings.items() >= dict(panel.fixed).items()
                if panel.across:
                    assert settings[panel.across.name] == panel.across.values[x]
                if panel.down:
                    assert settings[panel.down.name] == panel.down.values[y]
    assert sorted(seen) == list(range(len(order)))
