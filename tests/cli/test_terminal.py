"""What anybody may have written reaches a terminal as text, never as a command to it."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

RED = "\x1b[31m"
POLICY = 'param up: rate = 18mbit\nlink wan { device "eth0"; bandwidth up }\n'


def on_a_terminal(*arguments: str, folder: Path) -> str:
    """Run tcc with a terminal as its output; return what came out."""
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "tcc", *arguments],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 1 << 16):
            said += part
    except OSError:  # the other end is closed
        pass
    run.wait()
    os.close(ours)
    return said.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ("generate", "tc-script", "home.tcc", "--vars", "sites.csv", "-o", "out"),
        ("lint", f"{RED}.tcc"),
        ("lint", "home.tcc", "--set", f"{RED}=1"),
        ("lint", f"--{RED}"),
        ("generate", RED, "home.tcc"),
        ("fmt", "--check", f"{RED}wide.tcc"),
        ("plan", "home.tcc", "--facts", f"{RED}.json"),
        ("report", "diff", f"{RED}.json", "b.json", "-o", "c.html"),
        ("import", f"{RED}.sh"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]).replace(RED, "RED"),
)
def test_no_escape_sequence_gets_through(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "home.tcc").write_text(POLICY)
    (tmp_path / f"{RED}wide.tcc").write_text(POLICY)
    (tmp_path / "sites.csv").write_text(f"site,up\na{RED}b,18mbit\n")
    said = on_a_terminal(*arguments, folder=tmp_path)
    assert "\\x1b[31m" in said
    assert "\x1b" not in said
