"""The manual, the man pages and the completions are built from the same sources, unwarned."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tcc.cli.main import COMMANDS, Commands
from tcc.pages import codes

pytestmark = pytest.mark.slow  # `make test` runs them

ROOT = Path(__file__).parents[2]


def build(what: str, folder: Path) -> None:
    command = [sys.executable, "docs/manual.py", what, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_site(tmp_path):
    build("site", tmp_path)
    html = tmp_path / "html"
    for code in codes():
        assert (html / f"rules/{code}.html").is_file()
    for page in (ROOT / "docs").rglob("*.md"):
        assert (html / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file(), page
    language = (html / "language.html").read_text()
    assert re.search(r'<span class="k">bandwidth</span>', language)  # our own lexer coloured it
    assert "pppoe-ptm" in language
    listed = (html / "rules/index.html").read_text()
    assert all(f'href="{code}.html"' in listed for code in codes())


def test_the_man_pages(tmp_path):
    build("man", tmp_path)
    command, language = (
        (tmp_path / "man" / name).read_text() for name in ("tcc.1", "tcc-policy.5")
    )
    assert re.search(r'^\.TH "TCC" "1" ', command, re.MULTILINE)
    assert re.search(r'^\.TH "TCC-POLICY" "5" ', language, re.MULTILINE)
    heads = re.findall(r"^\.SH (.+)$", command, re.MULTILINE)
    known = Commands().list_commands(None)
    assert [name.upper() for name in known] == [head for head in heads if head.lower() in COMMANDS]
    assert {"NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"} <= set(heads)
    assert "\\-\\-unsafe\\-fixes" in command
    sections = re.findall(r"^## (.+)$", (ROOT / "docs/language.md").read_text(), re.MULTILINE)
    assert {name.upper() for name in sections} <= set(
        re.findall(r"^\.SH (.+)$", language, re.MULTILINE)
    )


def test_completions(tmp_path):
    build("completions", tmp_path)
    bash = (tmp_path / "bash/tcc").read_text()
    assert "_TCC_COMPLETE=bash_complete" in bash
    assert "_TCPOLICY_COMPLETE=bash_complete" in (tmp_path / "bash/tcpolicy").read_text()
    assert (tmp_path / "zsh/_tcc").read_text().startswith("#compdef tcc")
    assert "complete --no-files --command tcc" in (tmp_path / "fish/tcc.fish").read_text()
    words = 'COMP_WORDS=(tcc li); COMP_CWORD=1; _tcc_completion tcc; echo "${COMPREPLY[@]}"'
    program = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", f'PATH="{program}:$PATH"; source {tmp_path}/bash/tcc; {words}'],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["lint"], done.stderr
