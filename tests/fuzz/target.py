"""What a target is, and what all of them share.

A target returns, or something is at fault: a reader may refuse with the exception that its
docstring names, never with another.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Fault(Exception):  # noqa: N818  (it is what a run looks for)
    """A promise that a reader broke without raising anything."""


class Target(NamedTuple):
    """One reader, and texts it knows."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def harmless(said: str) -> None:
    """Find fault with what would act on a terminal."""
    if any(ord(one) < 32 and one != "\n" for one in said):
        raise Fault("it prints a control character")


def files(*patterns: str) -> Callable[[], Iterator[bytes]]:
    def seeds() -> Iterator[bytes]:
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern)):
                yield path.read_bytes()

    return seeds


def folder() -> Path:
    """Return a folder for what a reader takes from a file; it is there as long as the process."""
    return Path(_folder().name)


@cache
def _folder() -> "TemporaryDirectory[str]":
    return TemporaryDirectory(prefix="tcc-fuzz-")
