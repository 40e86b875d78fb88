"""Source text and places in it.

A `Span` is a pair of character offsets into one `Source`; lines and columns are worked
out only when somebody prints them, so that nothing else has to carry them around.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

OFFSET_BITS = 27
"""More than the longest text has characters (`tcc.syntax.read`)."""
_FILE = 2 * OFFSET_BITS
_MASK = (1 << OFFSET_BITS) - 1
_paths = [""]
_files: dict[str, int] = {}


def file_bits(path: str) -> int:
    """Return what all spans of one file have in common; never 0."""
    number = _files.get(path)
    if number is None:
        number = _files[path] = len(_paths)
        _paths.append(path)
    return number << _FILE


class Span(int):
    """The characters `start` up to, not including, `end` of the file `path`.

    A large policy has a span for every word, so all three are kept in one integer: the number
    of the file (in the order in which files were first met), the start, the length. Spans of
    one file sort by where they start.
    """

    __slots__ = ()

    def __new__(cls, path: str, start: int, end: int) -> "Span":
        """Make the span of `path` from `start` to `end`."""
        return int.__new__(cls, file_bits(path) | start << OFFSET_BITS | end - start)

    @property
    def path(self) -> str:
        """The name of the file."""
        return _paths[self >> _FILE]

    @property
    def start(self) -> int:
        """The offset of the first character."""
        return self >> OFFSET_BITS & _MASK

    @property
    def end(self) -> int:
        """The offset behind the last character."""
        return (self >> OFFSET_BITS & _MASK) + (self & _MASK)

    def __reduce__(self) -> tuple[type["Span"], tuple[str, int, int]]:
        """Return what a copy, perhaps in another process, is made of."""
        return Span, (self.path, self.start, self.end)

    def __repr__(self) -> str:
        """Show the file and both offsets."""
        return f"Span({self.path!r}, {self.start}, {self.end})"

    def to(self, other: "Span") -> "Span":
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.path, self.start, max(self.end, other.end))

    def between(self, start: int, end: int) -> "Span":
        """Return another span of the same file."""
        return Span(self.path, start, end)


class Position(NamedTuple):
    """A line and a column, both counted from 1; columns count characters."""

    line: int
    column: int


@dataclass(frozen=True, eq=False)
class Source:
    """One policy file: the name it was asked for by, and its text."""

    path: str
    text: str = field(repr=False)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        find, at = self.text.find, 0
        while (at := find("\n", at) + 1) > 0:
            starts.append(at)
        return starts

    def position(self, offset: int) -> Position:
        """Return the line and column of the character at `offset`."""
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Return line `number` (from 1) without its line ending; empty past the end."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @property
    def lines(self) -> int:
        """How many lines the text has."""
        return len(self._starts)
