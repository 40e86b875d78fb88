"""Reading policies from files: what cannot be read is a finding like any other."""

import sys
from pathlib import Path

from tcc.diagnostics import Diagnostic, error
from tcc.source import Source, Span

LARGEST = 64 * 2**20

STDIN = "-"


def read_source(path: str, name: str | None = None) -> Source | Diagnostic:
    """Return the text of the file `path` (`-`: standard input), or why it cannot be read.

    `name` is what to call it in messages, else `path`. A byte order mark is taken off, line
    ends stay as they are. The codes are `file-unreadable`, `file-too-large` (above 64 MiB)
    and `file-not-utf8`; these diagnostics have a span only when there is a place to show.
    """
    name = name or ("<stdin>" if path == STDIN else path)
    try:
        data = _read(path)
    except OSError as problem:
        return _unreadable("file-unreadable", name, f"cannot read it: {problem.strerror}")
    except ValueError:  # a NUL byte in the name
        return _unreadable("file-unreadable", name, "cannot read it: not a file name")
    if len(data) > LARGEST:
        message = f"it is larger than {LARGEST // 2**20} MiB"
        return _unreadable("file-too-large", name, message, "no policy is as large as that")
    try:
        return Source(name, data.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as problem:
        return _undecodable(name, data, problem.start)


def _read(path: str) -> bytes:
    """Return at most one byte more than the largest policy has."""
    if path == STDIN:
        return sys.stdin.buffer.read(LARGEST + 1)
    with Path(path).open("rb") as file:
        return file.read(LARGEST + 1)


def _unreadable(code: str, name: str, message: str, *hints: str) -> Diagnostic:
    return error(code, Span(name, 0, 0), message, *hints)


def _undecodable(name: str, data: bytes, at: int) -> Diagnostic:
    """Say where and why `data` is not UTF-8."""
    line = data.count(b"\n", 0, at) + 1
    hint = "save the file as UTF-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        hint = "it looks like UTF-16: save the file as UTF-8"
    message = f"it is not UTF-8: byte 0x{data[at]:02x} in line {line}"
    return _unreadable("file-not-utf8", name, message, hint)
