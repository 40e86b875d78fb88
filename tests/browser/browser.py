"""Chromium by its DevTools protocol, and what it has logged."""

import json
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait


class Browser:
    """One browser for all tests: starting it takes longer than any of them."""

    def __init__(self, browser: str, driver: str, width: int, height: int) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for word in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--force-device-scale-factor=1", "--disable-dev-shm-usage", "--lang=en",
            "--disable-background-networking", "--disable-component-update", "--no-first-run",
        ):  # fmt: skip
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.size = (width, height)

    def close(self) -> None:
        self.driver.quit()

    def command(self, name: str, **values: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, values)

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def open(
        self, page: Path, *, scheme: str = "light", media: str = "screen", width: int | None = None
    ) -> None:
        """Open a page anew, with an empty log."""
        self.resize(width or self.size[0], self.size[1])
        self.emulate(scheme, media)
        self.log()
        self.requests()
        self.driver.get(page.as_uri())

    def resize(self, width: int, height: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def emulate(self, scheme: str, media: str = "screen") -> None:
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.command("Emulation.setEmulatedMedia", media=media, features=features)

    def log(self) -> list[str]:
        """Return what was written to the console since the last call.

        Left out is what Chromium says of the tests themselves, when they look at pixels.
        """
        entries = self.driver.get_log("browser")
        return [
            f"{one['level']}: {one['message']}"
            for one in entries
            if "willReadFrequently" not in one["message"]
        ]

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the last call."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                found.append(message["params"].get("request", message["params"])["url"])
        return found

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds that the page does by and by."""
        WebDriverWait(self.driver, 10, 0.05).until(lambda _: holds())

    def screenshot(self, file: Path) -> Path:
        """Keep a picture of the whole page."""
        height = self.run("return document.documentElement.scrollHeight")
        width = self.run("return innerWidth")
        self.resize(width, height)
        made = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(b64decode(made["data"]))
        return file

    def pdf(self, file: Path) -> bytes:
        """Print the page."""
        made = self.command("Page.printToPDF", printBackground=False, preferCSSPageSize=False)
        data = b64decode(made["data"])
        file.write_bytes(data)
        return data
