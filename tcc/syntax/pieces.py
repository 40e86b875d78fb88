"""A tree as the pieces that the formatter sets: the words of a policy and the gaps between.

A piece is never broken. What cannot begin a line - `,`, an operator - is part of the piece
before it, so every gap is a place where the text may have had a line end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tcc.source import Source
from tcc.syntax.tree import (
    Binary,
    Block,
    Call,
    Clause,
    Group,
    Many,
    Number,
    Operand,
    Symbol,
    Text,
    Tree,
    Word,
)
from tcc.units import Dimension

COLUMNS = 100
INDENT = "    "


class Gap(Enum):
    """What stands between a piece and the one before it."""

    GLUE = ""
    SOFT_GLUE = "soft"  # nothing, or a line end when the line is too long
    SPACE = " "
    SOFT = "soft blank"  # a blank, or a line end when the line is too long
    CLAUSE = "clause"  # a line end; `; ` on a line that must not be split
    CLOSE = "close"  # a line end; a blank on a line that must not be split
    EMPTY = "empty"  # nothing; a line end where the text has one that must stay


@dataclass(slots=True)
class Piece:
    """Text that stays together, where it stood, and how far in its clause is."""

    text: str
    start: int
    line: int
    depth: int
    gap: Gap
    name: bool = False  # the first operand of a clause, and more follows


def spell_number(number: Number) -> str:
    """Return a number as written, with its unit in the one spelling that `fmt` keeps."""
    text = number.text
    if text[:2] in ("0x", "0X"):
        return "0x" + text[2:].lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/%")
    unit = text[len(digits) :]
    if unit.lower().endswith("bit"):
        return digits + unit.lower()
    if "B" in unit:
        scale = unit[: unit.index("B")]
        return digits + scale[:1].upper() + scale[1:].lower() + unit[len(scale) :]
    return text


def spell_text(value: str) -> str:
    """Return a text in quotes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Setter:
    """Turns the clauses of one source into pieces."""

    def __init__(self, source: Source) -> None:
        """Number lines as `source` does."""
        self._source = source

    def _line(self, offset: int) -> int:
        return self._source.position(offset).line

    def tree(self, tree: Tree) -> list[Piece]:
        """Return the pieces of a file."""
        return [piece for clause in tree.clauses for piece in self.clause(clause, 0)]

    def clause(self, clause: Clause, depth: int) -> list[Piece]:
        """Return the pieces of a clause, its block in lines of its own where need be."""
        head = self._head(clause, depth)
        block = clause.block
        if block is None:
            return head
        start, end = block.span.start, block.span.end
        opening = self._piece("{", start, depth, Gap.SPACE)
        if not block.clauses and not self._source.text[start + 1 : end - 1].strip():
            return [*head, opening, self._piece("}", end - 1, depth, Gap.EMPTY)]
        if self._line(start) == self._line(end - 1):
            flat = [*head, opening, *self._one_line(block, depth)]
            if depth * len(INDENT) + width(flat) <= COLUMNS:
                return flat
        inner = [piece for each in block.clauses for piece in self.clause(each, depth + 1)]
        closing = self._piece("}", end - 1, depth, Gap.CLOSE)
        return [*head, opening, *inner, closing]

    def _one_line(self, block: Block, depth: int) -> list[Piece]:
        """Return the pieces of a block that stays on the line of its clause."""
        pieces: list[Piece] = []
        for clause in block.clauses:
            if pieces:
                pieces[-1].text += ";"
            inner = self._flat(clause, depth)
            inner[0].gap = Gap.SPACE
            pieces += inner
        gap = Gap.SPACE if pieces else Gap.EMPTY
        return [*pieces, self._piece("}", block.span.end - 1, depth, gap)]

    def _flat(self, clause: Clause, depth: int) -> list[Piece]:
        """Return the pieces of a clause all on one line."""
        head = self._head(clause, depth)
        if clause.block is None:
            return head
        opening = self._piece("{", clause.block.span.start, depth, Gap.SPACE)
        return [*head, opening, *self._one_line(clause.block, depth)]

    def _head(self, clause: Clause, depth: int) -> list[Piece]:
        """Return the pieces of a clause without its block."""
        first = clause.prefer or clause.word.span
        word = f"prefer {clause.word.text}" if clause.prefer else clause.word.text
        pieces = [self._piece(word, first.start, depth, Gap.CLAUSE)]
        soft = False
        for number, operand in enumerate(clause.operands):
            more = list(self._operand(operand, depth))
            more[0].gap = Gap.SOFT if soft else Gap.SPACE
            soft = isinstance(operand, Symbol)
            more[0].name = number == 0 and isinstance(operand, Word)
            pieces += more
        return pieces

    def _piece(self, text: str, start: int, depth: int, gap: Gap) -> Piece:
        return Piece(text, start, self._line(start), depth, gap)

    def _operand(self, operand: Operand, depth: int) -> Iterator[Piece]:
        """Yield the pieces of an operand; the gap of the first one is for the caller."""
        start = operand.span.start
        match operand:
            case Binary():
                yield from self._binary(operand, depth)
            case Many(items=items):
                yield from self._list(items, depth)
            case Call(name=name, arguments=arguments):
                yield self._piece(f"{name.text}(", start, depth, Gap.SPACE)
                yield from self._bracketed(arguments, operand.span.end - 1, depth)
            case Group(inner=inner):
                yield self._piece("(", start, depth, Gap.SPACE)
                yield from self._bracketed((inner,), operand.span.end - 1, depth)
            case Number():
                yield self._piece(spell_number(operand), start, depth, Gap.SPACE)
            case Text(value=value):
                yield self._piece(spell_text(value), start, depth, Gap.SPACE)
            case _:
                text = self._source.text[start : operand.span.end]
                yield self._piece(text, start, depth, Gap.SPACE)

    def _bracketed(self, items: tuple[Operand, ...], close: int, depth: int) -> Iterator[Piece]:
        for number, piece in enumerate(self._list(items, depth)):
            if number == 0:
                piece.gap = Gap.GLUE
            yield piece
        yield self._piece(")", close, depth, Gap.GLUE)

    def _list(self, items: tuple[Operand, ...], depth: int) -> Iterator[Piece]:
        """Yield the pieces of values with commas between them."""
        for number, item in enumerate(items):
            pieces = list(self._operand(item, depth))
            if number:
                pieces[0].gap = Gap.SOFT
            if number < len(items) - 1:
                pieces[-1].text += ","
            yield from pieces

    def _binary(self, binary: Binary, depth: int) -> Iterator[Piece]:
        left = list(self._operand(binary.left, depth))
        right = list(self._operand(binary.right, depth))
        if _tight(binary):
            left[-1].text += binary.op
            right[0].gap = Gap.SOFT_GLUE
        else:
            left[-1].text += f" {binary.op}"
            right[0].gap = Gap.SOFT
        yield from left
        yield from right


def _tight(binary: Binary) -> bool:
    """Whether an operator has no blanks around it: `5060..5061`, `0x10/0xff`."""
    sides = (binary.left, binary.right)
    if binary.op == "..":
        return not any(isinstance(side, Binary) for side in sides)
    return binary.op == "/" and all(
        isinstance(side, Number) and side.dimension is Dimension.COUNT for side in sides
    )


def width(pieces: list[Piece]) -> int:
    """Return how many columns pieces take on one line, without indentation."""
    blanks = sum(piece.gap in (Gap.SPACE, Gap.SOFT) for piece in pieces[1:])
    return sum(len(piece.text) for piece in pieces) + blanks
