"""The page in a real browser: drawn, zoomed, by keyboard, in the dark, printed, offline."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tcc.report.page import diff, page
from tcc.verify.document import SCHEMA
from tests.browser.browser import Browser
from tests.browser.pictures import difference, reference, thumb
from tests.browser.readable import LEAST, contrasts
from tests.browser.sample import context, results

REFERENCES = Path(__file__).with_name("references")
MEAN, WRONG, TALLER = 1.0, 15, 1
"""Bounds of a picture against its reference, see `pictures`."""

INK = """
const canvas = arguments[0].querySelector("canvas");
const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
const wanted = arguments[1];
let found = 0;
for (let at = 0; at < pixels.length; at += 4)
    if (pixels[at + 3] > 128 && wanted.every((one, part) => Math.abs(pixels[at + part] - one) < 24))
        found += 1;
return found;
"""


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "made-up.html"
    file.write_text(page.render(results(), context()), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("diff") / "compared.html"
    names = ("before.json", "after.json")
    file.write_text(diff.render(results(), results(7), names, "0.0"), encoding="utf-8")
    return file


def figures(chromium: Browser) -> list[Any]:
    return chromium.driver.find_elements(By.CSS_SELECTOR, "figure.chart")


def scales(chromium: Browser) -> list[tuple[str, str]]:
    each = "return [...document.querySelectorAll('figure.chart')].map((one) => one.dataset)"
    return [(one["from"], one["to"]) for one in chromium.run(each)]


def colour(chromium: Browser, name: str) -> list[int]:
    script = "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0])"
    text = chromium.run(script, name).strip()
    return [int(text[at : at + 2], 16) for at in (1, 3, 5)]


def test_the_sample_is_of_the_published_form():
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json.loads(SCHEMA.read_text()))
    assert [one.message for one in validator.iter_errors(results())] == []


def test_charts_are_drawn_and_nothing_is_asked_for(chromium: Browser, made_up: Path):
    chromium.open(made_up)
    assert chromium.run("return document.documentElement.dataset.drawn") == "5"
    assert len(figures(chromium)) == 5
    first = colour(chromium, "--s0")
    for figure in figures(chromium):
        assert chromium.run(INK, figure, first) > 100, figure.text
    assert chromium.log() == []
    assert {one.partition(":")[0] for one in chromium.requests()} <= {"file", "data"}


def test_what_real_runs_gave_is_drawn_too(chromium: Browser, tmp_path: Path):
    from click.testing import CliRunner

    from tcc.cli.main import cli

    policy, out = tmp_path / "</script>.tcc".replace("/", ""), tmp_path / "out.html"
    policy.write_text(
        'link wan { device "eth0"; egress { bandwidth 4mbit } }\n'
        'objective "</script><img src=x onerror=alert(1)>" {\n'
        "    under rrul for 1s rtt 20ms\n    require utilisation >= 1%\n}\n"
    )
    CliRunner().invoke(cli, ["verify", str(policy), "--jobs", "1", "--report", str(out)])
    chromium.open(out)
    drawn = int(chromium.run("return document.documentElement.dataset.drawn"))
    assert drawn == len(figures(chromium)) > 3
    assert chromium.run("return document.images.length") == 0
    assert chromium.log() == []
    assert len(chromium.requests()) == 1


def test_dragging_zooms_all_charts_of_an_objective(chromium: Browser, made_up: Path):
    chromium.open(made_up)
    assert set(scales(chromium)) == {("0.2", "10")}
    over = chromium.driver.find_element(By.CSS_SELECTOR, "figure.chart .u-over")
    width = over.size["width"]
    chromium.run("arguments[0].scrollIntoView({block: 'center'})", over)
    drag = ActionChains(chromium.driver).move_to_element_with_offset(over, -width // 4, 0)
    drag.click_and_hold().move_by_offset(width // 4, 0).release().perform()
    ((begin, end),) = set(scales(chromium))
    assert 2.4 < float(begin) < 2.9
    assert 4.9 < float(end) < 5.3
    button = chromium.driver.find_element(By.CSS_SELECTOR, "figure.chart .everything")
    assert button.is_displayed()
    button.click()
    assert set(scales(chromium)) == {("0.2", "10")}
    assert not button.is_displayed()
    assert chromium.log() == []


def test_everything_is_reached_and_done_by_keyboard(chromium: Browser, made_up: Path):
    chromium.open(made_up)
    focused = "const one = document.activeElement; return [one.tagName, one.className, one.id]"
    seen = []
    for _ in range(80):
        ActionChains(chromium.driver).send_keys(Keys.TAB).perform()
        seen.append(tuple(chromium.run(focused)))
        if seen[-1][0] == "BODY":
            break
    assert seen[0] == ("A", "skip", "")
    plots = [one[2] for one in seen if one[1] == "plot"]
    keys = ("egress-goodput", "egress-tins", "latency", "egress-sojourn", "egress-drops")
    assert plots == [f"plot-o0-{key}" for key in keys]
    assert sum(one[0] == "BUTTON" for one in seen) == chromium.run(
        "return document.querySelectorAll('.legend button').length"
    )
    assert sum(one[0] == "SUMMARY" for one in seen) == chromium.run(
        "return document.querySelectorAll('summary').length"
    )


def test_a_chart_speaks(chromium: Browser, made_up: Path):
    """The cursor by arrow keys, zoom by + and 0, lines by Enter: each is told in words."""
    chromium.open(made_up)
    plot = chromium.driver.find_element(By.ID, "plot-o0-egress-goodput")
    said = chromium.driver.find_element(By.ID, "said-o0-egress-goodput")
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT):
        plot.send_keys(key)
    goodput = results()["objectives"][0]["runs"][0]["series"]["flows"][0]["payload"][2]
    expected = f"{goodput * 8 / 0.2 / 1e6:.4g}"
    assert said.get_attribute("textContent").startswith(f"0.6 s: crowd tcp CS0 {expected}, ")
    assert said.get_attribute("textContent").endswith(" Mbit/s")
    plot.send_keys("+")
    assert said.get_attribute("textContent") == "showing 0.2 to 5.1 s"
    assert set(scales(chromium)) == {("0.2", "5.1")}
    plot.send_keys("0")
    assert set(scales(chromium)) == {("0.2", "10")}
    figure = figures(chromium)[0]
    before = chromium.run(INK, figure, colour(chromium, "--s0"))
    button = figure.find_element(By.CSS_SELECTOR, ".legend button")
    assert button.get_attribute("aria-pressed") == "true"
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "false"
    assert chromium.run(INK, figure, colour(chromium, "--s0")) < before // 4
    assert chromium.log() == []


def test_a_table_has_every_value(chromium: Browser, made_up: Path):
    chromium.open(made_up)
    summary = figures(chromium)[2].find_element(By.TAG_NAME, "summary")
    summary.send_keys(Keys.ENTER)
    chromium.until(lambda: chromium.driver.find_elements(By.CLASS_NAME, "every"))
    rows = figures(chromium)[2].find_elements(By.CSS_SELECTOR, ".every tbody tr")
    assert len(rows) == 50
    assert rows[0].text.split() == ["0.2", "20", "26.4"]
    assert rows[20].text.split()[1] == "-"


def test_readers_of_the_screen_get_names(chromium: Browser, made_up: Path):
    """Chromium's own accessibility tree: nothing to look at or to press is without a name."""
    chromium.open(made_up)
    chromium.command("Accessibility.enable")
    nodes = chromium.command("Accessibility.getFullAXTree")["nodes"]
    found = dict.fromkeys(("image", "button", "link", "region", "table", "heading"), 0)
    groups = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        name = node.get("name", {}).get("value", "").strip()
        if role == "group" and "arrow keys" in name:
            groups.append(name)
        if not node["ignored"] and role in found:
            found[role] += 1
            assert name, node
    assert len(groups) == 5
    assert min(found.values()) > 0, found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(chromium: Browser, made_up: Path, scheme: str):
    """In both schemes."""
    chromium.open(made_up, scheme=scheme)
    found = contrasts(chromium)
    assert len(found) > 100
    assert [one for one in found if one[0] < LEAST] == []


def test_the_dark_comes_without_a_reload(chromium: Browser, made_up: Path):
    chromium.open(made_up)
    ground = "return getComputedStyle(document.body).backgroundColor"
    light, line = chromium.run(ground), colour(chromium, "--s0")
    chromium.emulate("dark")
    assert sum(map(int, re.findall(r"\d+", chromium.run(ground)))) < 120
    assert chromium.run(ground) != light
    assert colour(chromium, "--s0") != line
    line = colour(chromium, "--s0")
    for figure in figures(chromium):
        chromium.until(lambda figure=figure: chromium.run(INK, figure, line) > 100)
    assert chromium.log() == []


def test_paper_gets_the_drawings(chromium: Browser, made_up: Path, artefacts: Path):
    """Printed from a dark screen: light, each chart as a drawing, no buttons."""
    chromium.open(made_up, scheme="dark")
    data = chromium.pdf(artefacts / "made-up.pdf")
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) >= 2
    chromium.open(made_up, scheme="dark", media="print")
    shown = (
        "return [...document.querySelectorAll(arguments[0])].map((one) => one.checkVisibility())"
    )
    assert set(chromium.run(shown, "figure .still")) == {True}
    assert set(chromium.run(shown, ".plot, nav, .everything")) == {False}
    white = "return getComputedStyle(document.body).backgroundColor"
    assert chromium.run(white) == "rgb(255, 255, 255)"


def test_without_scripts_everything_is_there(chromium: Browser, made_up: Path):
    chromium.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(made_up)
    finally:
        chromium.command("Emulation.setScriptExecutionDisabled", value=False)
    stills = chromium.driver.find_elements(By.CSS_SELECTOR, "figure.chart > .still")
    assert len(stills) == 5
    assert all(one.is_displayed() for one in stills)
    plots = chromium.driver.find_elements(By.CSS_SELECTOR, ".plot")
    assert not any(one.is_displayed() for one in plots)


@pytest.mark.parametrize("width", [320, 390, 800])
def test_a_narrow_screen_needs_no_sideways(chromium: Browser, made_up: Path, width: int):
    chromium.open(made_up, width=width)
    assert chromium.run("return document.documentElement.scrollWidth") <= width


VIEWS = {
    "light": {},
    "dark": {"scheme": "dark"},
    "narrow": {"width": 390},
    "print": {"media": "print"},
}


@pytest.mark.parametrize("view", [*VIEWS, "compared"])
def test_it_looks_as_it_did(
    chromium: Browser, made_up: Path, compared: Path, artefacts: Path, view: str,
    request: pytest.FixtureRequest,
):  # fmt: skip
    """`pytest tests/browser --update-golden` writes the references anew; look at them."""
    chromium.open(compared if view == "compared" else made_up, **VIEWS.get(view, {}))  # type: ignore[arg-type]
    shown = thumb(chromium.screenshot(artefacts / f"{view}.png"))
    stored = REFERENCES / f"{view}.png"
    if request.config.getoption("--update-golden"):
        shown.save(stored, optimize=True)
    apart = difference(shown, reference(stored))
    (wide, tall), (stored_wide, stored_tall) = apart.sizes
    assert wide == stored_wide
    assert abs(tall - stored_tall) <= TALLER, apart
    assert apart.mean <= MEAN, apart
    assert apart.wrong <= WRONG, apart


def test_a_chart_that_is_missing_is_seen():
    """One plot of the stored picture painted over, within its axes: 31 by 14 blocks."""
    whole = reference(REFERENCES / "light.png")
    less = whole.copy()
    less.paste(255, (6, 44, 37, 58))
    assert difference(whole, whole) == (0, 0, (whole.size, whole.size))
    assert difference(less, whole).wrong > 2 * WRONG
