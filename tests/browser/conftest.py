"""A headless Chromium, as Debian has it, that must not reach anything but the page's file."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.browser import Browser

CURE = "apt-get install chromium chromium-driver, or leave `make browser` to a machine with them"
WIDTH, HEIGHT = 1280, 1000


def program(*names: str) -> str:
    """Return the path of an installed program; without it the test fails, and says what to do."""
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    pytest.fail(f"no {names[0]} is installed: {CURE}", pytrace=False)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    browser, driver = program("chromium", "google-chrome"), program("chromedriver")
    os.environ["SE_AVOID_STATS"] = "true"
    one = Browser(browser, driver, WIDTH, HEIGHT)
    yield one
    one.close()


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Return where screenshots are kept: below build/, which git does not look at."""
    folder = Path(os.environ.get("TCC_ARTEFACTS", Path(__file__).parents[2] / "build" / "browser"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
