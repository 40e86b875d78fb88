"""The shape of a policy as written: clauses, operands, blocks.

Every clause of the language is a word, its operands, perhaps a block. What the words
mean is not known here; `tcc.passes` gives them meaning from its tables. Every node has
the span of the text it was read from.

Nodes are never changed once they are made. `frozen=True` would say the same, but making a
node would take three times as long, and a long policy has millions of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from tcc.source import Source, Span
from tcc.units import Dimension


@dataclass(slots=True, eq=False, repr=False)
class Word:
    """A name or keyword: `wan`, `per-host`, `cs5`; unquoted."""

    span: Span
    text: str


@dataclass(slots=True, eq=False, repr=False)
class Text:
    """A quoted string; `value` is without quotes and escapes."""

    span: Span
    value: str


@dataclass(slots=True, eq=False, repr=False)
class Number:
    """A number with or without a unit: `100mbit`, `-4B`, `95%`, `16`, `0xff`.

    `amount` is exact and already in the base unit: bit/s, bytes, ns; a percentage is a
    fraction (95% is 19/20); a bare number is a COUNT. `text` is what was written.
    """

    span: Span
    amount: Fraction
    dimension: Dimension
    text: str


@dataclass(slots=True, eq=False, repr=False)
class Address:
    """An IPv4 or IPv6 address or prefix as written: `10.0.9.0/24`, `2001:db8::1`."""

    span: Span
    text: str


@dataclass(slots=True, eq=False, repr=False)
class Symbol:
    """An operator that a clause takes as an operand: `=`, `:`, `>=`, `<=`, `+`."""

    span: Span
    text: str


@dataclass(slots=True, eq=False, repr=False)
class Binary:
    """`left op right`; op is one of `+ - * / of ..`.

    `..` binds weakest, then `+ -`, then `* / of`; operators of one rank group to the left.
    """

    span: Span
    op: str
    left: "Operand"
    right: "Operand"


@dataclass(slots=True, eq=False, repr=False)
class Call:
    """`min(a, b)`."""

    span: Span
    name: Word
    arguments: tuple["Operand", ...]


@dataclass(slots=True, eq=False, repr=False)
class Group:
    """An operand in parentheses, kept so that the formatter can print it again."""

    span: Span
    inner: "Operand"


@dataclass(slots=True, eq=False, repr=False)
class Many:
    """Operands joined by commas: `cs5, cs6`; at least two."""

    span: Span
    items: tuple["Operand", ...]


@dataclass(slots=True, eq=False, repr=False)
class Broken:
    """An operand that could not be read; a diagnostic says why.

    What depends on its value is to be skipped without a word, not reported once more.
    """

    span: Span


Operand = Word | Text | Number | Address | Symbol | Binary | Call | Group | Many | Broken


@dataclass(slots=True, eq=False, repr=False)
class Clause:
    """A word, its operands, perhaps a block: one thing that a policy says.

    `prefer` is the span of a leading `prefer`, or None. `span` covers word and operands,
    and the block when there is one.
    """

    span: Span
    word: Word
    operands: tuple[Operand, ...]
    block: "Block | None" = None
    prefer: Span | None = None


@dataclass(slots=True, eq=False, repr=False)
class Block:
    """The clauses between `{` and `}`; the span includes the braces."""

    span: Span
    clauses: tuple[Clause, ...]


@dataclass(slots=True, eq=False, repr=False)
class Comment:
    """`# ...` to the end of its line; `own_line` when nothing stands before it."""

    span: Span
    text: str
    own_line: bool


@dataclass(slots=True, eq=False, repr=False)
class Tree:
    """One file: its clauses in order and all comments in order."""

    source: Source
    clauses: tuple[Clause, ...]
    comments: tuple[Comment, ...] = field(default=())

    def walk(self) -> Iterator[Clause]:
        """Yield every clause, outer ones before those in their blocks."""
        waiting = list(reversed(self.clauses))
        while waiting:
            clause = waiting.pop()
            yield clause
            if clause.block:
                waiting.extend(reversed(clause.block.clauses))
