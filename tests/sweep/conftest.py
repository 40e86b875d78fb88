"""A policy that is run in milliseconds, and the command line, here or in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tcc.cli.main import run

TINY = """\
let up = 1mbit
link wan {
    device "eth0"
    framing ethernet
    role router
    egress { bandwidth up; rtt 50ms }  # one line
}
objective "tiny" {
    under tcp_nup 1 flow for 100ms rtt 20ms
    require ping induced-latency p99 <= 40ms
    require egress utilisation >= 50%
}
"""
TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]


class Ended(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def tcc(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run a command line in this process."""

    def running(*arguments: str) -> Ended:
        code = run(list(arguments), "tcc")
        return Ended(code, *capsys.readouterr())

    return running


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory but for tiny.tcc, which is the current one."""
    (tmp_path / "tiny.tcc").write_text(TINY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(*arguments: str, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start a command line in a process of its own."""
    return subprocess.Popen(
        [*TCC, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
    )
