"""The pages of a sweep and of a search in a real browser: against the data, readable, offline."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from selenium.webdriver.common.by import By

from tcc.cli.main import cli
from tests.browser.browser import Browser
from tests.browser.pictures import difference, reference, thumb
from tests.browser.readable import LEAST, contrasts
from tests.browser.test_page import MEAN, REFERENCES, TALLER, VIEWS, WRONG

POLICY = """
link wan { device "eth0"; framing ethernet; egress { bandwidth 10mbit; qdisc tbf {
    burst 4KiB; latency 25ms; inner bfifo } } }
workload busy { tcp upload 4 flows; ping as probe }
objective "a call is not delayed" {
    under busy for 2s rtt 20ms
    require egress probe induced-latency p99 <= 10ms
}
"""
VARIED = [
    "--vary", "wan.egress.bandwidth=4mbit..12mbit/3",
    "--vary", "wan.egress.qdisc.inner=bfifo,fq_codel",
]  # fmt: skip


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A page, and the same sweep as JSON."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "line.tcc").write_text(POLICY)
    page = folder / "sweep.html"
    words = ["sweep", str(folder / "line.tcc"), *VARIED, "--jobs", "1"]
    done = CliRunner().invoke(cli, [*words, "--report", str(page), "--json"])
    return page, json.loads(done.stdout)


def drawings(chromium: Browser, shape: str) -> list[Any]:
    """Return the drawings that are made of such shapes, one for each point."""
    return chromium.driver.find_elements(By.CSS_SELECTOR, f"svg[role=img]:has({shape})")


def test_it_is_drawn_and_asks_for_nothing(chromium: Browser, swept: tuple[Path, Any]):
    page, data = swept
    chromium.open(page)
    maps, clouds = drawings(chromium, "rect"), drawings(chromium, "circle")
    assert maps
    assert clouds
    for one in (*maps, *clouds):
        assert one.is_displayed()
        assert one.accessible_name
    points = len(data["points"])
    assert points == 6
    for one, shape in (*((each, "rect") for each in maps), *((each, "circle") for each in clouds)):
        assert len(one.find_elements(By.TAG_NAME, shape)) == points
    assert chromium.log() == []
    assert len(chromium.requests()) == 1


def test_it_shows_what_the_data_say(chromium: Browser, swept: tuple[Path, Any]):
    """The table names each point's verdict; the fronts' points are drawn larger."""
    page, data = swept
    chromium.open(page)
    told = [one.text for one in chromium.driver.find_elements(By.CSS_SELECTOR, "td .chip")]
    assert told == [one["objectives"][0]["state"] for one in data["points"]]
    assert {"held", "missed"} <= set(told)
    (cloud,) = drawings(chromium, "circle")
    sizes = [int(one.get_attribute("r")) for one in cloud.find_elements(By.TAG_NAME, "circle")]
    on_front = {one for front in data["objectives"][0]["fronts"] for one in front["points"]}
    assert sizes.count(max(sizes)) == len(on_front)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(chromium: Browser, swept: tuple[Path, Any], scheme: str):
    chromium.open(swept[0], scheme=scheme)
    found = contrasts(chromium)
    assert len(found) > 50
    assert [one for one in found if one[0] < LEAST] == []


@pytest.mark.parametrize("width", [320, 390, 800])
def test_a_narrow_screen_needs_no_sideways(
    chromium: Browser, swept: tuple[Path, Any], width: int
):  # fmt: skip
    chromium.open(swept[0], width=width)
    assert chromium.run("return document.documentElement.scrollWidth") <= width


def test_on_paper_nothing_sticks_out_of_its_frame(chromium: Browser, swept: tuple[Path, Any]):
    """There is nothing to scroll there."""
    chromium.open(swept[0], media="print", width=794)
    outside = chromium.run(
        "return [...document.querySelectorAll('figure')].flatMap((frame) =>"
        " [...frame.querySelectorAll('svg, table')].filter((one) =>"
        " one.getBoundingClientRect().right > frame.getBoundingClientRect().right)).length"
    )
    assert outside == 0


@pytest.mark.parametrize("view", VIEWS)
def test_it_looks_as_it_did(
    chromium: Browser, swept: tuple[Path, Any], artefacts: Path, view: str,
    request: pytest.FixtureRequest,
):  # fmt: skip
    chromium.open(swept[0], **VIEWS[view])  # type: ignore[arg-type]
    shown = thumb(chromium.screenshot(artefacts / f"sweep-{view}.png"))
    stored = REFERENCES / f"sweep-{view}.png"
    if request.config.getoption("--update-golden"):
        shown.save(stored, optimize=True)
    apart = difference(shown, reference(stored))
    assert apart.sizes[0][0] == apart.sizes[1][0]
    assert abs(apart.sizes[0][1] - apart.sizes[1][1]) <= TALLER, apart
    assert apart.mean <= MEAN, apart
    assert apart.wrong <= WRONG, apart


# ------------------------------------------------------------------ a search


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A page, and the same search as JSON."""
    folder = tmp_path_factory.mktemp("tune")
    (folder / "line.tcc").write_text(POLICY)
    page = folder / "tune.html"
    words = [
        "tune", str(folder / "line.tcc"), "--for", "probe induced-latency p99 <= 10ms",
        "--maximise", "egress.goodput", "--seeds", "1", "--jobs", "1",
        "--vary", "wan.egress.qdisc.latency=5ms..50ms/4",
    ]  # fmt: skip
    done = CliRunner().invoke(cli, [*words, "--report", str(page), "--json"])
    return page, json.loads(done.stdout)


def test_a_search_is_drawn_and_asks_for_nothing(chromium: Browser, tuned: tuple[Path, Any]):
    page, data = tuned
    chromium.open(page)
    (cloud,) = drawings(chromium, "circle")
    assert cloud.is_displayed()
    assert cloud.accessible_name
    rows = chromium.driver.find_elements(By.CSS_SELECTOR, "#tried > .wide tbody tr")
    assert len(rows) == data["tried"] == len(cloud.find_elements(By.TAG_NAME, "circle"))
    ring, *_ = cloud.find_elements(By.CSS_SELECTOR, "ellipse[fill=none]")
    around = [
        one for one in cloud.find_elements(By.TAG_NAME, "circle")
        if all(one.get_attribute(name) == ring.get_attribute(name) for name in ("cx", "cy"))
    ]  # fmt: skip
    assert around
    (marked,) = [row.text for row in rows if "chosen" in row.text]
    assert marked.startswith(data["settings"]["wan.egress.qdisc.latency"])
    assert chromium.log() == []
    assert len(chromium.requests()) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_of_a_search_can_be_read(
    chromium: Browser, tuned: tuple[Path, Any], scheme: str
):  # fmt: skip
    chromium.open(tuned[0], scheme=scheme)
    found = contrasts(chromium)
    assert len(found) > 40
    assert [one for one in found if one[0] < LEAST] == []


@pytest.mark.parametrize("width", [320, 800])
def test_a_search_on_a_narrow_screen_needs_no_sideways(
    chromium: Browser, tuned: tuple[Path, Any], width: int
):  # fmt: skip
    chromium.open(tuned[0], width=width)
    assert chromium.run("return document.documentElement.scrollWidth") <= width
