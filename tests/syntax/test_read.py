"""Reading files: every way in which it can fail is a finding."""

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tcc.diagnostics import Diagnostic
from tcc.source import Source
from tcc.syntax import read
from tcc.syntax.read import read_source


def code(path: Path | str) -> str:
    found = read_source(str(path))
    assert isinstance(found, Diagnostic)
    assert found.span is not None
    return found.code


def test_text_is_kept_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.tcc"
    file.write_bytes("\ufefflink \u00e4\r\n".encode())
    source = read_source(str(file))
    assert isinstance(source, Source)
    assert source.text == "link \u00e4\r\n"


def test_unreadable_files(tmp_path: Path) -> None:
    assert code(tmp_path / "none.tcc") == "file-unreadable"
    assert code(tmp_path) == "file-unreadable"
    assert code("a\0b") == "file-unreadable"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert code(loop) == "file-unreadable"


def test_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "a.tcc"
    file.write_bytes(b"ok\nlink \xe4\n")
    found = read_source(str(file))
    assert isinstance(found, Diagnostic)
    assert found.code == "file-not-utf8"
    assert found.message == "it is not UTF-8: byte 0xe4 in line 2"


def test_too_large(tmp_path: Path) -> None:
    file = tmp_path / "a.tcc"
    file.touch()
    os.truncate(file, read.LARGEST + 1)
    assert code(file) == "file-too-large"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a b\n")))
    source = read_source("-", "from-editor.tcc")
    assert isinstance(source, Source)
    assert (source.path, source.text) == ("from-editor.tcc", "a b\n")
