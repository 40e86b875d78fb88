"""What all tests share: markers, options, and the doors to real kernels."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from testkernel.guest import Job
from testkernel.host import UnavailableError
from testkernel.machine import Finished, run
from testkernel.netns import Namespaces, namespaces
from testkernel.report import GuestScriptError, read_report

WITHOUT_UML = os.environ.get("TCC_WITHOUT_UML") == "1"
NEEDS = {
    "guest_report": "uml",
    "run_in_guest": "uml",
    "netns": "kernel",
    "chromium": "browser",
}  # fixture -> marker
LEFT_OUT = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expected files below tests/golden (make golden)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test that asks for a kernel or a browser, before `-m` chooses among them."""
    for item in items:
        for fixture in set(NEEDS) & set(getattr(item, "fixturenames", ())):
            item.add_marker(NEEDS[fixture])
        if WITHOUT_UML and item.get_closest_marker("uml"):
            config.stash[LEFT_OUT].append(item.nodeid)
            item.add_marker(pytest.mark.skip(reason="TCC_WITHOUT_UML=1"))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if left_out := config.stash[LEFT_OUT]:
        terminalreporter.section("TESTS LEFT OUT", "!", red=True, bold=True)
        terminalreporter.write_line(
            f"TCC_WITHOUT_UML=1: {len(left_out)} tests of the 7.3 test kernel did NOT run", red=True
        )


@pytest.fixture(scope="module")
def guest_report(request: pytest.FixtureRequest) -> Any:
    """What the test module's guest script printed, as decoded JSON.

    The module says `GUEST = Path(__file__).with_name("guest_NAME.py")` (or `.sh`).  The script is
    run once for the file, as root under the test kernel; the test functions look at its parts.
    """
    try:
        return read_report(request.module.GUEST)
    except (UnavailableError, GuestScriptError) as problem:
        pytest.fail(str(problem), pytrace=False)


@pytest.fixture
def run_in_guest() -> Callable[[Sequence[str]], Finished]:
    """A function that runs one command in a fresh guest: half a second each."""

    def run_one(command: Sequence[str], **settings: Any) -> Finished:
        try:
            return run(Job(command, cwd=Path(__file__).parents[1], **settings))
        except UnavailableError as problem:
            pytest.fail(str(problem), pytrace=False)

    return run_one


@pytest.fixture
def netns() -> Iterator[Namespaces]:
    """Network namespaces of this machine's kernel: `netns.new().run("tc", "qdisc")`."""
    try:
        with namespaces() as mine:
            yield mine
    except UnavailableError as problem:
        pytest.fail(str(problem), pytrace=False)
