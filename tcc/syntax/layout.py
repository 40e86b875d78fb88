"""Where a missing `}` belongs: the second reading of a file whose blocks are not closed.

A `}` that is missing shows only at the end of the file. The layout tells where it belongs:
a word that opens a clause of the file itself, no further to the right than the block that
would hold it, ends that block.
"""

from collections.abc import Iterator

from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.source import Source, Span
from tcc.syntax import tables as t
from tcc.syntax.lexer import Token

TOP_WORDS = frozenset(
    ("let", "param", "include", "profile", "link", "tier", "workload", "testbed", "objective")
)
_MOST_RELATED = 3


def close_blocks(
    source: Source, stream: Iterator[Token], found: list[Diagnostic]
) -> Iterator[Token]:
    """Yield the tokens of `stream` with each missing `}` put in, reporting `block-unclosed`."""
    opened: list[Token] = []
    previous: Token = (t.END, 0, 0)
    for token in stream:
        kind, start, end = token
        if (
            opened
            and kind == t.WORD
            and previous[0] in (t.END, t.LBRACE)
            and source.text[start:end] in TOP_WORDS
            and _ends_block(source, start, opened[0])
        ):
            found.append(_unclosed(source, opened, token, previous))
            yield from _closing(opened, start)
        if kind == t.LBRACE:
            opened.append(token)
        elif kind == t.RBRACE and opened:
            opened.pop()
        previous = token
        yield token
    if opened:
        end = len(source.text)
        found.append(_unclosed(source, opened, (t.END, end, end), previous))
        yield from _closing(opened, end)


def _closing(opened: list[Token], at: int) -> Iterator[Token]:
    """Yield `}` and END for each block of `opened`, and empty it."""
    while opened:
        opened.pop()
        yield t.RBRACE, at, at
        yield t.END, at, at


def _indentation(source: Source, offset: int) -> int | None:
    """Return the column of the first thing in the line of `offset`."""
    start = source.text.rfind("\n", 0, offset) + 1
    line = source.text[start:offset]
    return len(line) - len(line.lstrip())


def _ends_block(source: Source, start: int, opener: Token) -> bool:
    """Whether the word at `start` begins its line, left of what `opener` would hold."""
    line = source.text.rfind("\n", 0, start) + 1
    if source.text[line:start].strip():
        return False
    own, outer = _indentation(source, start), _indentation(source, opener[1])
    return own is not None and outer is not None and own <= outer


def _unclosed(source: Source, opened: list[Token], at: Token, previous: Token) -> Diagnostic:
    """Return the error that the blocks `opened` are not closed before `at`."""
    innermost = source.position(opened[-1][1]).line
    message = f"`}}` is missing to close the block opened at line {innermost}"
    if len(opened) > 1:
        message += f", and {len(opened) - 1} more around it"
    places = [Span(source.path, *token[1:]) for token in opened[: -_MOST_RELATED - 1 : -1]]
    insert = Span(source.path, previous[2], previous[2])
    fix = Fix("close it", insert, "\n}" * len(opened), safe=False)
    return Diagnostic(
        "block-unclosed",
        Severity.ERROR,
        message,
        Span(source.path, at[1], at[2]),
        None,
        (),
        (fix,) if len(opened) <= _MOST_RELATED else (),
        tuple(("opened here", place) for place in places),
    )
