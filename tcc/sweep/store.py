"""Results in one SQLite file: each is appended by a transaction, under a key made of its content.

A rollback journal, not a write-ahead log: at rest there is one file that can be copied, and after
`kill -9` the next one to open it finds every transaction whole or not at all. Anybody may read it
meanwhile, and several sweeps may write: a result is there once, whoever came first. Why SQLite:
docs/sweep.md.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

FORMAT = 1
APPLICATION = 0x74636373  # "tccs", in the file's header: file(1) shows it
PATIENCE = 60.0
"""Seconds to wait for another process that is writing; a transaction takes milliseconds."""
MEMORY = ":memory:"
AT_ONCE = 500
"""Keys of one question: SQLite's limit of variables was 999 once."""
TABLES = """
CREATE TABLE policy (
    digest TEXT PRIMARY KEY,  -- SHA-256 of the text, hexadecimal
    text TEXT NOT NULL        -- the policy whose parameters vary, its includes put in
);
CREATE TABLE run (
    key TEXT PRIMARY KEY,     -- SHA-256 of all that the result depends on
    policy TEXT NOT NULL REFERENCES policy (digest),
    settings TEXT NOT NULL,   -- JSON: what each parameter was set to
    objective TEXT NOT NULL,  -- the text of the objective
    seed INTEGER NOT NULL,
    tcc TEXT NOT NULL,        -- version
    program TEXT NOT NULL,    -- digest of the sources that made it
    result TEXT NOT NULL      -- JSON: verdicts and figures, or why it was refused
);
"""


class Row(NamedTuple):
    """One result; the fields are the columns of the table `run`."""

    key: str
    policy: str
    settings: str
    objective: str
    seed: int
    tcc: str
    program: str
    result: str


APPEND = f"""
INSERT INTO run ({", ".join(Row._fields)}) VALUES ({", ".join("?" * len(Row._fields))})
ON CONFLICT (key) DO NOTHING
"""


class StoreError(Exception):
    """The file cannot be used; the message says why."""


@contextmanager
def _explained(path: str | None) -> Iterator[None]:
    """Say in our words what SQLite found wrong."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as problem:  # it quotes a damaged file in messages
        raise StoreError(f"{path or MEMORY}: {problem}") from problem
    except StoreError as problem:
        raise StoreError(f"{path}: {problem}") from problem


class Store:
    """An open file of results.

    Raises:
        StoreError: from every method, when the file is none of ours or cannot be read or written.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        with _explained(path):
            self._database = sqlite3.connect(path or MEMORY, timeout=PATIENCE, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise

    def _prepare(self) -> None:
        run = self._database.execute
        run("PRAGMA journal_mode = DELETE")
        run("PRAGMA synchronous = FULL")
        run("BEGIN IMMEDIATE")
        [[tables]] = run("SELECT count(*) FROM sqlite_master")
        [[application]] = run("PRAGMA application_id")
        [[version]] = run("PRAGMA user_version")
        if not tables and not application:
            for statement in TABLES.split(";\n"):
                run(statement)
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {FORMAT}")
        elif application != APPLICATION:
            raise StoreError("it is a database of something else")
        elif version != FORMAT:
            raise StoreError(f"it has format {version}, this tcc reads format {FORMAT}")
        run("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def keep_policy(self, digest: str, text: str) -> None:
        """Put the policy into the file that results name by its digest."""
        with _explained(self.path):
            self._database.execute(
                "INSERT INTO policy (digest, text) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
                (digest, text),
            )

    def append(self, rows: Sequence[Row]) -> int:
        """Add results, all or none; those that are there stay. Return how many were new."""
        with _explained(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                before = self._database.total_changes
                self._database.executemany(
                    APPEND,
                    rows,
                )
                new = self._database.total_changes - before
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise
            return new

    def results(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the results that are there, by key."""
        found: dict[str, str] = {}
        with _explained(self.path):
            for part in _parts(keys):
                marks = ", ".join("?" * len(part))
                found.update(
                    self._database.execute(
                        f"SELECT key, result FROM run WHERE key IN ({marks})",
                        part,
                    )
                )
        return found


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(keys), AT_ONCE):
        yield keys[first : first + AT_ONCE]
