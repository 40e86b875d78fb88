"""From text to tokens: one regular expression, and the rule where clauses end.

A clause ends at the end of its line, at `;`, or before `}`: each of these becomes one END
token. A line goes on after `,`, an operator, a symbol or `(`, and before `)`.
"""

import re
from collections.abc import Iterator

from tcc.source import Span
from tcc.syntax import tables as t
from tcc.syntax.numbers import stands_apart
from tcc.syntax.tree import Comment

# A terminal of `tables`, and the offsets of its text.
Token = tuple[int, int, int]

OPERATORS = frozenset((t.RANGE, t.PLUS, t.MINUS, t.STAR, t.SLASH, t.OF))
_GOES_ON = OPERATORS | {t.COMMA, t.SYMBOL, t.LPAR, t.CALL}
_CLOSED = frozenset((t.END, t.LBRACE))
_BOM = "\ufeff"


def tokens(text: str, path: str, comments: list[Comment]) -> Iterator[Token]:
    """Yield the tokens of `text`; put its comments on the list `comments`."""
    previous = t.END
    fresh = True  # nothing but blanks on this line so far
    scan = re.compile(t.PATTERN).finditer
    for match in scan(text, 1 if text.startswith(_BOM) else 0):
        kind: int = match.lastindex  # type: ignore[assignment]
        start, end = match.span(kind)
        if kind == t.NEWLINE:
            fresh = True
            if previous in _GOES_ON or previous in _CLOSED:
                continue
            kind, end = t.END, start
        elif kind == t.COMMENT:
            comment = text[start:end].rstrip()
            span = Span(path, start, start + len(comment))
            comments.append(Comment(span, comment, fresh))
            continue
        elif kind == t.LINE_END_BEFORE_RPAR:
            fresh = True
            continue
        else:
            if kind == t.SEMICOLON and previous in _CLOSED:
                continue
            fresh = False
            if previous not in _CLOSED:
                if kind == t.WORD:
                    if previous == t.NUMBER and stands_apart(text, start, end):
                        kind = t.BAD_NUMBER
                elif kind == t.SEMICOLON:
                    kind = t.END
                elif kind == t.RBRACE:
                    yield t.END, start, start
        previous = kind
        yield kind, start, end
    if previous not in _CLOSED:
        yield t.END, len(text), len(text)
