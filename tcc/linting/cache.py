"""Results of lint by content, in the user's cache directory.

An entry is a JSON file named by a hash of everything that its result depends on: the version and
the files of tcc itself, the settings, the name of the policy and its text. What the policy
includes is in the entry with a hash of each, and is looked at when the entry is read. Entries are
written beside and renamed, so any number of runs may share the directory; one that cannot be
read is no entry. The directory belongs to the user alone (0700): where it does not, nothing is
read or written.
"""

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_ISDIR
from typing import Any

import tcc
from tcc.diagnostics import Diagnostic
from tcc.linting.encoded import decode, encode
from tcc.linting.one import Result
from tcc.source import Source
from tcc.syntax.read import read_source

FOLDER = "tcc"
PRUNED = "pruned"
DAY = 86_400
KEPT = 30 * DAY
"""Seconds for which an entry is kept that nobody reads."""


def directory() -> Path:
    """Return where the platform keeps a user's caches (XDG Base Directory on Linux)."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given, FOLDER, "lint")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches" / FOLDER / "lint"
    return Path.home() / ".cache" / FOLDER / "lint"


def opened(where: Path | None = None) -> "Cache | None":
    """Return the cache; None where there can be none that is the user's alone."""
    try:
        where = where or directory()
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (where, where.parent) if where.parent.name == FOLDER else (where,):
            status = folder.lstat()
            if not S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                return None
            if S_IMODE(status.st_mode) & 0o022:
                return None
        if S_IMODE(where.lstat().st_mode) & 0o077:
            where.chmod(0o700)
    except (OSError, RuntimeError):  # no home directory
        return None
    return Cache(where, fingerprint())


def fingerprint() -> str:
    """Return a text that changes with tcc, its plugins, and Python."""
    parts = [tcc.__version__, sys.version]
    for folder in _folders():
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".lark", ".json"):
                status = path.stat()
                parts.append(f"{path}\0{status.st_mtime_ns}\0{status.st_size}")
    return sha256("\n".join([*parts, *_plugins()]).encode("utf-8", "surrogatepass")).hexdigest()


def _folders() -> Iterator[Path]:
    package = Path(tcc.__file__).parent
    for name in ("checks", "ir", "lower", "passes", "syntax", "linting", "grammar"):
        yield package / name
    yield package.parent / "grammar"
    yield package.parent / "plugins"


def _plugins() -> list[str]:
    from importlib.metadata import entry_points  # noqa: PLC0415  (looks through what is installed)

    return sorted(
        f"{point.group} {point.name} {point.value} {point.dist.version if point.dist else ''}"
        for group in ("tcc.qdiscs", "tcc.backends")
        for point in entry_points(group=group)
    )


def digest(text: str) -> str:
    """Return the hash of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Cache:
    """A directory of entries."""

    def __init__(self, folder: Path, version: str) -> None:
        self.folder = folder
        self.version = version

    def key(self, source: Source, settings: str) -> str:
        """Return the name of the entry for one policy."""
        return digest("\0".join((self.version, settings, source.path, source.text)))

    def read(self, key: str) -> Result | None:
        """Return a result, when there is one and what it includes is as it was."""
        path = self._path(key)
        try:
            entry: Any = json.loads(path.read_bytes())
            if any(not _is(name, hash_) for name, hash_ in entry["includes"].items()):
                return None
            found = tuple(map(decode, entry["found"]))
            self._touch(path)
            return Result(found, tuple(entry["sources"]))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def write(self, key: str, result: Result, includes: dict[str, str]) -> None:
        """Keep a result; where that cannot be, it is not kept."""
        entry = {
            "found": [encode(item) for item in result.found],
            "sources": list(result.sources),
            "includes": includes,
        }
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=path.parent)  # 0600
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    json.dump(entry, file)
                os.replace(name, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise

    def prune(self) -> None:
        """Once a day take away what nobody has read for a month."""
        mark, now = self.folder / PRUNED, time.time()
        with contextlib.suppress(OSError):
            if mark.exists() and now - mark.stat().st_mtime < DAY:
                return
            mark.touch()
            for path in self.folder.glob("??/*"):
                with contextlib.suppress(OSError):
                    if now - path.stat().st_mtime > KEPT:
                        path.unlink()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]

    def _touch(self, path: Path) -> None:
        """Remember that an entry was of use, to the day."""
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > DAY:
                os.utime(path)


def _is(name: str, hash_: str) -> bool:
    source = read_source(name)
    return isinstance(source, Source) and digest(source.text) == hash_


def kept(found: tuple[Diagnostic, ...]) -> bool:
    """Whether a result depends on nothing but the texts that it names."""
    return not any(item.code.startswith(("include-", "file-", "plugin-")) for item in found)
