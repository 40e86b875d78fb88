"""What the pages show is what the program prints.

A `console` block holds `$ tcc ...` and its output; `make docs` writes the output anew. A `tcc`
block is a policy, or a part of one, that lints without errors.
"""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from tcc import api
from tcc.cli.main import run
from tcc.diagnostics import Severity
from tcc.source import Source

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CONSOLE = re.compile(r"```console\n\$ (tcc [^\n]*)\n(.*?)```\n", re.DOTALL)
POLICY = re.compile(r"```tcc\n(.*?)```\n", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(#[^)]*)?\)")


def printed(command: str) -> str:
    """Return what a command prints; what comes on standard error stands first."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        run(shlex.split(command)[1:], "tcc")
    return err.getvalue() + out.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_consoles_show_what_is_printed(
    page: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text()
    shown = CONSOLE.sub(lambda found: f"```console\n$ {found[1]}\n{printed(found[1])}```\n", text)
    if request.config.getoption("--update-golden"):
        page.write_text(shown)
    assert page.read_text() == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_policies_on_pages_are_right(page: Path) -> None:
    for number, found in enumerate(POLICY.finditer(page.read_text())):
        built = api.load(Source(f"{page.name}-{number}.tcc", found[1]))
        errors = [item for item in api.lint(built) if item.severity is Severity.ERROR]
        assert errors == [], found[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for found in LINK.finditer(page.read_text()):
        assert (page.parent / found[1]).exists(), found[0]
