"""The state directory of one network namespace: the journal, the history, what is ours.

    lock          held while something changes (`tcc.apply.lock`)
    identity      whose life this directory is about; another one makes the rest void
    owned         what is ours, by place
    journal       the change that is under way; there is none when all is well
    history/N     changes that were completed, newest last, at most `DEPTH`
    pending       the changes that nobody has confirmed yet (`tcc.apply.pending`)
    guard         who undoes them; guard.log is what it had to say
    expired       the ones that were undone because nobody did

A change begins when `journal` gets its name and is completed when `journal` is renamed into
the history; both are single renames. So a journal that is found was left by a change that did
not finish, whatever happened to it, and what was there before it is in the journal. Going
back writes a journal, too: from then on it is a change that did not finish, and is undone like
one. The steps that it takes back leave the history when it is done, the newest first.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from tcc.apply import kept, lock, stored
from tcc.apply.identity import Identity
from tcc.apply.pending import Pending, pending_from_json, pending_to_json
from tcc.apply.process import Process
from tcc.apply.records import (
    Ownership,
    PolicyText,
    Record,
    ownership_from_json,
    ownership_to_json,
    record_from_json,
    record_to_json,
)

DEPTH: Final = 20
LOCK_PATIENCE: Final = 2.0  # seconds that a second change waits for the first
_RECORD, _OWNED, _IDENTITY = "change-3", "owned-2", "identity-1"
_PENDING, _GUARD, _EXPIRED = "pending-1", "guard-1", "expired-1"
_REMAIN: Final = {"lock", "identity", "watch"}
Made = TypeVar("Made")


class UntrustedDirectoryError(Exception):
    """A state directory that others may write to; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The process that undoes what is pending."""

    id: str
    """Of what is pending."""
    process: Process


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the history: a completed change, or a file that can no longer be read."""

    number: int
    record: Record | None
    trouble: str = ""


def state_root() -> Path:
    """Return where state is kept: TCC_STATE_DIR, or /var/lib/tcc."""
    return Path(os.environ.get("TCC_STATE_DIR") or "/var/lib/tcc")


class Journal:
    """The state of one network namespace. Reading makes nothing; changing needs `held`.

    Every method raises OSError where files cannot be read or written, and the reading ones
    `DamagedError` where a file is not what was written.
    """

    def __init__(self, root: Path, identity: Identity) -> None:
        self.root = root
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
        for directory in (self.root, self.path, self.path / "history"):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for directory in (self.root, self.path):
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

    def commit(self, record: Record, *, confirmed: bool = True) -> None:
        """The change is complete: what is ours is its `owned_after`.

        One without a number is a repair, which is no step of the history. With `confirmed`
        its policy is what may be applied again without being asked for.
        """
        self._write_owned(record.owned_after)
        if confirmed and record.policy is not None:
            self.keep(record.policy)
        if not record.number:
            stored.remove(self.path / "journal")
            return
        entries = self._entries()
        for old in entries[: max(0, len(entries) + 1 - DEPTH)]:
            stored.remove(old)
        stored.move(self.path / "journal", self._entry(record.number))

    def undone(self, record: Record) -> None:
        """The change was taken back, and what it takes back with it.

        What is ours is its `owned_before`; its policy is not to be applied again without
        being asked for.
        """
        self._write_owned(record.owned_before)
        if record.policy is not None:
            self.reject(record.policy)
        steps = [] if not record.since else self.steps()
        for step in reversed([one for one in steps if one.number >= record.since]):
            if step.record is not None and step.record.policy is not None:
                self.reject(step.record.policy)
            stored.remove(self._entry(step.number))
        stored.remove(self.path / "journal")

    def last(self) -> Record | None:
        """Return the newest completed change; None when none is kept."""
        entries = self._entries()
        return self._record(entries[-1]) if entries else None

    def steps(self) -> list[Step]:
        """Return the history, oldest first; what is damaged says so and hides nothing else."""
        found = []
        for path in self._entries():
            try:
                found.append(Step(int(path.name), self._record(path)))
            except (stored.DamagedError, OSError) as problem:
                found.append(Step(int(path.name), None, str(problem)))
        return found

    def next_number(self) -> int:
        """Return the number that the next completed change will have."""
        entries = self._entries()
        return int(entries[-1].name) + 1 if entries else 1

    def version(self) -> tuple[object, ...]:
        """Return what is another one as soon as the history or what is pending is another one."""
        newest = [*self._entries()[-1:], self.path / "pending"]
        return tuple(_stamp(path) for path in newest)

    def pending(self) -> Pending | None:
        """Return what nobody has confirmed yet; None when there is nothing such."""
        return self._made(self.path / "pending", _PENDING, pending_from_json)

    def on_trial(self) -> Pending | None:
        """Return what is pending as far as anything was changed.

        Whoever was killed before that has left a document about nothing: the guard may not
        even have been started. Under the lock that is certain.
        """
        found = self.pending()
        if found is None or self.unfinished() is not None:
            return found
        return found if any(step.number >= found.first for step in self.steps()) else None

    def arm(self, pending: Pending) -> None:
        """Write down that what is made now is not confirmed."""
        stored.write(self.path / "pending", _PENDING, pending_to_json(pending))

    def disarm(self) -> None:
        """Nothing is pending any more: whoever guards it finds that out."""
        stored.remove(self.path / "pending")

    def confirm(self, pending: Pending) -> None:
        """Keep what was pending, and its policies for good."""
        for step in self.steps():
            if step.number >= pending.first and step.record and step.record.policy:
                self.keep(step.record.policy)
        self.disarm()

    def guard(self) -> Guard | None:
        """Return who undoes what is pending; None where that was never anybody."""
        return self._unless_damaged("guard", _GUARD, _guard)

    def say_guard(self, guard: Guard) -> None:
        """Write down who it is."""
        data = {"id": guard.id, "pid": guard.process.pid, "start": guard.process.start}
        stored.write(self.path / "guard", _GUARD, data)

    def expired(self) -> str:
        """Return what was undone last because nobody had confirmed it; empty if nothing was."""
        return self._unless_damaged("expired", _EXPIRED, lambda data: str(data["said"])) or ""

    def say_expired(self, said: str) -> None:
        """Write down what was undone; nothing takes it away again."""
        if not said:
            stored.remove(self.path / "expired")
        else:
            stored.write(self.path / "expired", _EXPIRED, {"said": said})

    def known(self, key: str) -> kept.Kept:
        """Return what is known of the policy `key`, across reboots."""
        return kept.read(self.root, key)

    def keep(self, policy: PolicyText) -> None:
        """A policy's text is confirmed."""
        kept.write(self.root, policy.key, kept.Kept(policy.text))

    def reject(self, policy: PolicyText) -> None:
        """A policy's text is only tried, or was taken back."""
        before = kept.read(self.root, policy.key)
        kept.write(self.root, policy.key, before.reject(policy.text, policy.before))

    def owned(self) -> Ownership:
        """Return what is ours."""
        path = self.path / "owned"
        return self._made(path, _OWNED, lambda data: ownership_from_json(data["places"])) or {}

    def _write_owned(self, owned: Ownership) -> None:
        stored.write(self.path / "owned", _OWNED, {"places": ownership_to_json(owned)})

    def _record(self, path: Path) -> Record | None:
        return self._made(path, _RECORD, record_from_json)

    def _made(self, path: Path, kind: str, make: Callable[[dict[str, Any]], Made]) -> Made | None:
        """Return what a document says; None where there is none."""
        data = self._read(path, kind)
        try:
            return None if data is None else make(data)
        except (KeyError, TypeError, ValueError, OverflowError) as problem:
            raise stored.DamagedError(path, f"it lacks something: {problem}") from problem

    def _read(self, path: Path, kind: str) -> dict[str, Any] | None:
        """Return a document of this life of the namespace; None for those of another."""
        data = stored.read(path, kind) if not self._is_void() else None
        return data if isinstance(data, dict) else None

    def _unless_damaged(
        self, name: str, kind: str, make: Callable[[dict[str, Any]], Made]
    ) -> Made | None:
        """Return what a document says that nothing depends on."""
        try:
            return self._made(self.path / name, kind, make)
        except stored.DamagedError:
            return None

    def _entries(self) -> list[Path]:
        """Return the history, oldest first."""
        history = self.path / "history"
        if self._is_void() or not history.is_dir():
            return []
        return sorted(path for path in history.iterdir() if path.name.isdecimal())

    def _entry(self, number: int) -> Path:
        return self.path / "history" / f"{number:06}"

    @property
    def boot(self) -> str:
        """The kernel's boot id."""
        return self._identity.boot

    def _life(self) -> list[object]:
        return [self._identity.boot, self._identity.cookie]

    def _is_void(self) -> bool:
        """Whether what is here is about an earlier namespace that had this inode."""
        return bool(stored.read(self.path / "identity", _IDENTITY) != self._life())

    def _begin_anew_if_void(self) -> None:
        if not self._is_void():
            return
        for path in [*(self.path / "history").iterdir(), *self.path.iterdir()]:
            if path.is_file() and path.name not in _REMAIN:
                path.unlink()
        stored.write(self.path / "identity", _IDENTITY, self._life())


def _guard(data: dict[str, Any]) -> Guard:
    return Guard(str(data["id"]), Process(int(data["pid"]), int(data["start"])))


def _stamp(path: Path) -> tuple[object, ...]:
    """Return what tells one document at `path` from the next."""
    try:
        found = path.stat()
    except OSError:
        return (path.name,)
    return path.name, found.st_ino, found.st_mtime_ns
