"""Run command lines: in this process, which is quick, or in one of their own."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from tcc.cli.main import run


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def tcc(capsys, monkeypatch) -> Iterator[Callable[..., Done]]:
    """Run a command line in this process."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    inputs = ExitStack()

    def running(*arguments: str, stdin: str | None = None, program: str = "tcc") -> Done:
        if stdin is not None:
            reading, writing = os.pipe()
            os.write(writing, stdin.encode())
            os.close(writing)
            file = inputs.enter_context(os.fdopen(reading, encoding="utf-8"))
            monkeypatch.setattr("sys.stdin", file)
        code = run(list(arguments), program)
        out, err = capsys.readouterr()
        return Done(code, out, err)

    with inputs:
        yield running


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """An empty directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
