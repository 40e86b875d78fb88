"""Walk the clauses of a block: each word once, in its place, with or without a block."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from tcc import language
from tcc.diagnostics import Fix
from tcc.ir import Path
from tcc.passes.context import Context, listed, nearest
from tcc.passes.reader import Operands, Reader, operands_span
from tcc.source import Span
from tcc.syntax.tree import Block, Clause, Operand

REPEATED = frozenset({"tier", "match", "require", "tcp", "udp", "voip", "ping"})
"""Clauses that a block may hold more than once."""
WITH_BLOCK = frozenset({
    "framing", "egress", "ingress", "tier", "qdisc", "backpressure",
    "profile", "link", "workload", "testbed", "objective", "inner",
})  # fmt: skip
SHAPES = frozenset(language.SHAPING)


def clauses_of(context: Context, block: Block, where: str) -> Iterator[Clause]:
    """Yield the clauses that belong in such a block, and complain about all others.

    Codes: unknown-clause, misplaced-clause, duplicate-clause, unexpected-block,
    misplaced-prefer.
    """
    accepted = language.BLOCKS[where]
    first: dict[str, Clause] = {}
    for clause in block.clauses:
        word = clause.word.text
        if word not in accepted:
            unknown_clause(context, clause, where, accepted)
            continue
        if clause.prefer is not None:
            check_prefer(context, clause, where)
        if clause.block is not None and word not in WITH_BLOCK:
            refuse_block(context, clause)
        if word not in REPEATED:
            if word in first:
                duplicate_clause(context, clause.word.text, clause.word.span, first[word].word.span)
                continue
            first[word] = clause
        if context.damaged:
            yield from once_said(context, (clause,))
        else:
            yield clause


def once_said(context: Context, clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Yield clauses, and forget what is found about those that the parser complained of."""
    for clause in clauses:
        if context.damaged and context.said(clause):
            before = len(context.found)
            yield clause
            del context.found[before:]
        else:
            yield clause


def duplicate_clause(context: Context, word: str, span: Span, first: Span) -> None:
    """Say that a clause is given twice."""
    context.error(
        "duplicate-clause",
        span,
        f"`{word}` is already given in this block",
        "keep one of them",
        related=[("first given here", first)],
    )


def refuse_block(context: Context, clause: Clause) -> None:
    """Say that this clause takes no block."""
    assert clause.block is not None
    brace = clause.block.span
    context.error(
        "unexpected-block",
        Span(brace.path, brace.start, brace.start + 1),
        f"`{clause.word.text}` takes no block",
    )


def check_prefer(context: Context, clause: Clause, where: str) -> None:
    """`prefer` belongs before a shaping clause, where a target may lack the feature."""
    shaping = where in ("a link", "a profile", *language.DIRECTIONS)
    if not (shaping and clause.word.text in SHAPES):
        context.error(
            "misplaced-prefer",
            clause.prefer,
            f"`prefer` cannot stand before `{clause.word.text}`",
            "it goes before a clause that shapes: what a target cannot express is a warning then",
        )


def unknown_clause(
    context: Context, clause: Clause, where: str, accepted: Mapping[str, object] | Collection[str]
) -> None:
    """Say that a word starts no clause here: where it belongs, or which word is near."""
    word, span = clause.word.text, clause.word.span
    places = [place for place in language.places_of(word) if place != where]
    near = nearest(word, accepted)
    if where == "a tier" and word in language.CONDITIONS:
        context.error(
            "misplaced-clause", span, f"`{word}` is a condition", f"write: match {word} ..."
        )
        return
    if places and not (near and near.lower() == word.lower()):
        context.error(
            "misplaced-clause",
            span,
            f"`{word}` does not belong {_inside(where)}",
            f"it belongs {' or '.join(_inside(place) for place in _brief(places))}",
        )
        return
    context.error(
        "unknown-clause",
        span,
        f"there is no clause `{word}` {_inside(where)}",
        f"it takes {listed(accepted)}",
        fix=Fix(f"write `{near}`", span, near, safe=False) if near else None,
    )


def _inside(where: str) -> str:
    if where == "a policy":
        return "at the top level"
    return f"in {where}" if " " in where else f"in `{where}`"


def _brief(places: list[str]) -> list[str]:
    """Shaping clauses belong in four blocks: naming the two best known is enough."""
    return [place for place in places if place not in ("a profile", "ingress")] or places


FieldReader = tuple[str, Callable[[Operand], object | None]]


def read_fields(
    reader: Reader, block: Block, where: str, fields: Mapping[str, FieldReader]
) -> tuple[dict[str, Any], list[tuple[Path, Span]], list[Path]]:
    """Read a block of clauses that each take one value.

    Returns the values by field, their places, and the fields whose value is not known.
    """
    values: dict[str, Any] = {}
    places: list[tuple[Path, Span]] = []
    unknown: list[Path] = []
    for clause in clauses_of(reader.context, block, where):
        name, read = fields[clause.word.text]
        operands = Operands(reader, clause, language.BLOCKS[where][clause.word.text].syntax)
        operand = operands.take("a value")
        value = read(operand) if operand is not None else None
        operands.end()
        places.append(((name,), operands_span(clause)))
        if value is None:
            unknown.append((name,))
        else:
            values[name] = value
    return values, places, unknown
