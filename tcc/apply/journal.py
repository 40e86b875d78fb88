"""The state directory of one network namespace: the journal, the history, what is ours.

    lock          held while something changes (`tcc.apply.lock`)
    identity      whose life this directory is about; another one makes the rest void
    owned         what is ours, by place
    journal       the change that is under way; there is none when all is well
    history/N     changes that were completed, newest last, at most `DEPTH`

A change begins when `journal` gets its name and is completed when `journal` is renamed into
the history; both are single renames. So a journal that is found was left by a change that did
not finish, whatever happened to it, and what was there before it is in the journal. Going
back a step renames the newest history entry to `journal`: from then on it is a change that
did not finish, and is undone like one.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tcc.apply import lock, stored
from tcc.apply.identity import Identity
from tcc.apply.records import (
    Ownership,
    Record,
    ownership_from_json,
    ownership_to_json,
    record_from_json,
    record_to_json,
)

DEPTH: Final = 20
LOCK_PATIENCE: Final = 2.0  # seconds that a second change waits for the first
_RECORD, _OWNED, _IDENTITY = "change-2", "owned-2", "identity-1"


class UntrustedDirectoryError(Exception):
    """A state directory that others may write to; the message says which and what to do."""


def state_root() -> Path:
    """Return where state is kept: TCC_STATE_DIR, or /var/lib/tcc."""
    return Path(os.environ.get("TCC_STATE_DIR") or "/var/lib/tcc")


class Journal:
    """The state of one network namespace. Reading makes nothing; changing needs `held`.

    Every method raises OSError where files cannot be read or written, and the reading ones
    `DamagedError` where a file is not what was written.
    """

    def __init__(self, root: Path, identity: Identity) -> None:
        self._root = root
        self._identity = identity
        self.path = root / identity.directory

    @contextmanager
    def held(self, who: str, patience: float = LOCK_PATIENCE) -> Iterator[None]:
        """Hold the namespace's lock for the body of a `with`, and make its directory.

        Raises:
            BusyError: somebody else is changing the namespace.
            UntrustedDirectoryError: the state directory is not ours alone.
        """
        self.prepare()
        with lock.held(self.path / "lock", who, patience):
            self._begin_anew_if_void()
            yield

    def prepare(self) -> None:
        """Make the directory; the errors of `held` but for `BusyError`."""
        for directory in (self._root, self.path, self.path / "history"):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for directory in (self._root, self.path):
            found = directory.stat()
            if found.st_uid not in {0, os.geteuid()}:
                raise UntrustedDirectoryError(f"{directory} belongs to user {found.st_uid}")
            if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
                directory.chmod(0o700)

    def unfinished(self) -> Record | None:
        """Return the change that did not finish; None when all is well."""
        return self._record(self.path / "journal")

    def begin(self, record: Record) -> None:
        """Write down what was there, before anything is changed."""
        stored.write(self.path / "journal", _RECORD, record_to_json(record))

    def commit(self, record: Record) -> None:
        """The change is complete: what is ours is its `owned_after`."""
        entries = self._entries()
        for old in entries[: max(0, len(entries) + 1 - DEPTH)]:
            stored.remove(old)
        self._write_owned(record.owned_after)
        number = int(entries[-1].name) + 1 if entries else 1
        stored.move(self.path / "journal", self.path / "history" / f"{number:06}")

    def undone(self, record: Record) -> None:
        """The change was taken back: what is ours is its `owned_before`."""
        self._write_owned(record.owned_before)
        stored.remove(self.path / "journal")

    def last(self) -> Record | None:
        """Return the newest completed change; None when none is kept."""
        entries = self._entries()
        return self._record(entries[-1]) if entries else None

    def reopen(self) -> None:
        """Make the newest completed change one that did not finish, to be taken back."""
        stored.move(self._entries()[-1], self.path / "journal")

    def owned(self) -> Ownership:
        """Return what is ours."""
        data = self._read(self.path / "owned", _OWNED)
        return {} if data is None else ownership_from_json(data["places"])

    def _write_owned(self, owned: Ownership) -> None:
        stored.write(self.path / "owned", _OWNED, {"places": ownership_to_json(owned)})

    def _record(self, path: Path) -> Record | None:
        data = self._read(path, _RECORD)
        try:
            return None if data is None else record_from_json(data)
        except (KeyError, TypeError, ValueError) as problem:
            raise stored.DamagedError(path, f"it lacks something: {problem}") from problem

    def _read(self, path: Path, kind: str) -> dict[str, Any] | None:
        """Return a document of this life of the namespace; None for those of another."""
        data = stored.read(path, kind) if not self._is_void() else None
        return data if isinstance(data, dict) else None

    def _entries(self) -> list[Path]:
        """Return the history, oldest first."""
        history = self.path / "history"
        if self._is_void() or not history.is_dir():
            return []
        return sorted(path for path in history.iterdir() if path.name.isdecimal())

    def _life(self) -> list[object]:
        return [self._identity.boot, self._identity.cookie]

    def _is_void(self) -> bool:
        """Whether what is here is about an earlier namespace that had this inode."""
        return bool(stored.read(self.path / "identity", _IDENTITY) != self._life())

    def _begin_anew_if_void(self) -> None:
        if not self._is_void():
            return
        for path in [*(self.path / "history").iterdir(), *self.path.iterdir()]:
            if path.is_file() and path.name not in {"lock", "identity"}:
                path.unlink()
        stored.write(self.path / "identity", _IDENTITY, self._life())
