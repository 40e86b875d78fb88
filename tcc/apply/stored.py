"""Documents that survive a crash at any byte.

A document is written beside its place, flushed, and renamed over it (rename(2) is atomic),
so that its name holds either the old text or the new one. The first line carries length and
SHA-256 of the rest: what a failing disk made of it is found out, and never believed.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

_MAGIC = "tcc-state"


class DamagedError(Exception):
    """A document whose text is not what was written; the message names the file."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} is damaged: {why}")
        self.path = path


def write(path: Path, kind: str, data: Any) -> None:  # noqa: ANN401  (any JSON)
    """Put `data` at `path`, durably; `kind` says what the document is and its format.

    Raises:
        OSError: it could not be written; what was there before still is.
    """
    body = json.dumps(data, sort_keys=True, indent=1).encode() + b"\n"
    digest = hashlib.sha256(body).hexdigest()
    head = f"{_MAGIC} {kind} {len(body)} {digest}\n".encode()
    beside = path.with_name(path.name + ".new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(head + body)
        file.flush()
        os.fsync(file.fileno())
    os.rename(beside, path)
    sync(path.parent)


def read(path: Path, kind: str) -> Any:  # noqa: ANN401
    """Return what was written at `path`; None when there is no such document.

    Raises:
        DamagedError: it is not whole, or it is another kind of document.
        OSError: it cannot be read.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    head, _, body = text.partition(b"\n")
    words = head.decode("ascii", "replace").split(" ")
    if len(words) != 4 or words[0] != _MAGIC:
        raise DamagedError(path, "it does not begin as such a file does")
    if words[2] != str(len(body)) or words[3] != hashlib.sha256(body).hexdigest():
        raise DamagedError(path, "its length or checksum is not the one in its first line")
    if words[1] != kind:
        raise DamagedError(path, f"it is a {words[1]}, not a {kind}")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise DamagedError(path, f"it is no JSON: {problem}") from problem


def remove(path: Path) -> None:
    """Take a document away, durably; one that is not there is no error."""
    path.unlink(missing_ok=True)
    sync(path.parent)


def move(path: Path, to: Path) -> None:
    """Give a document another name, durably and at once."""
    os.rename(path, to)
    sync(to.parent)
    if path.parent != to.parent:
        sync(path.parent)


def sync(directory: Path) -> None:
    """Make the names in `directory` durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
