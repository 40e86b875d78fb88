"""What to say of a token that cannot stand where it stands."""

from tcc.diagnostics import Diagnostic, Fix, Severity, error
from tcc.source import Source, Span
from tcc.syntax import tables as t
from tcc.syntax.lexer import OPERATORS, Token
from tcc.syntax.nodes import Clauses, Value
from tcc.syntax.tree import Symbol

_VALUE = "a value such as `100mbit` is missing"


def shown(source: Source, token: Token) -> str:
    """Return words for a token: its text, or which end was reached."""
    kind, start, end = token
    if kind != t.END:
        return f"`{source.text[start:end]}`"
    if start >= len(source.text):
        return "the end of the file"
    at = source.text[start]
    return f"`{at}`" if at in ";}" else "the end of the line"


def clause_start(source: Source, token: Token) -> Diagnostic:
    """Describe a token that stands where a clause should begin."""
    kind, start, end = token
    span = Span(source.path, start, end)
    if kind == t.RBRACE:
        return error("brace-unmatched", span, "this `}` closes no block")
    if kind == t.LBRACE:
        return error("clause-word-missing", span, "a block needs a word before its `{`")
    if kind == t.RPAR:
        return error("parenthesis-unmatched", span, "this `)` closes nothing")
    if kind == t.CALL:
        fix = Fix("put a blank behind it", Span(source.path, end, end), " ")
        message = f"a blank is missing between {shown(source, token)} and `(`"
        return error("blank-missing", span, message, fix=fix)
    hints = []
    if kind == t.COMMA or kind in OPERATORS:
        hints = ["a line goes on after `,` or an operator: put it at the end of the line above"]
    message = f"a clause starts with a word, not with {shown(source, token)}"
    return error("clause-word-missing", span, message, *hints)


def after_block(source: Source, token: Token) -> Diagnostic:
    """Describe a token that follows the `}` of a block on the same line."""
    span = Span(source.path, token[1], token[2])
    message = f"a clause ends with its block; {shown(source, token)} cannot follow on this line"
    fix = Fix("start a new line", Span(source.path, token[1], token[1]), "\n")
    return error("clause-end-missing", span, message, fix=fix)


def within_clause(source: Source, parts: list[Value], token: Token) -> Diagnostic:
    """Describe a token that does not fit behind the `parts` of a clause."""
    kind, start, end = token
    span = Span(source.path, start, end)
    here, last = shown(source, token), parts[-1]
    if type(last) is tuple or type(last) is Symbol:
        return _after_sign(source, last, token, span)
    opener = open_parenthesis(parts)
    if kind == t.RPAR and opener is None:
        return error("parenthesis-unmatched", span, "this `)` closes nothing")
    if opener is not None and kind == t.COMMA and not _is_call(parts, opener):
        hint = "`min( , )` and `max( , )` take several values"
        return error("value-missing", span, "parentheses hold one value", hint)
    if opener is not None and kind != t.COMMA and kind not in OPERATORS:
        message = f"`)` is missing before {here}"
        return _with_opener(source, error("parenthesis-unclosed", span, message), opener)
    if kind == t.RANGE and len(parts) > 2 and type(parts[-2]) is tuple:
        return error("value-missing", span, "a range has two ends: `5060..5061`")
    if kind == t.COMMA or kind in OPERATORS:
        return error("value-missing", span, f"{_VALUE} before {here}")
    if kind == t.PREFER:
        message = "`prefer` stands before the word of a clause, and is no name"
        return error("unexpected", span, message)
    return error("unexpected", span, f"{here} cannot stand here")


def _after_sign(source: Source, last: Value, token: Token, span: Span) -> Diagnostic:
    """Describe a token that follows an operator, a symbol, a comma, `(` or `prefer`."""
    sign: Token = last if type(last) is tuple else (t.SYMBOL, last.span.start, last.span.end)
    if sign[0] == t.PREFER:
        message = "`prefer` stands before the word of a clause"
        return error("clause-word-missing", Span(source.path, sign[1], sign[2]), message)
    if token[0] == t.END:  # point behind the sign, not at the next line
        span = Span(source.path, sign[2], sign[2])
    text = source.text[sign[1] : sign[2]]
    return error("value-missing", span, f"{_VALUE} after `{text}`")


def open_parenthesis(parts: list[Value]) -> Token | None:
    """Return the innermost `(` that is still open in `parts`, or None."""
    for part in reversed(parts):
        if type(part) is tuple and part[0] == t.LPAR:
            return part
    return None


def _is_call(parts: list[Value], opener: Token) -> bool:
    """Whether the parenthesis `opener` holds the arguments of a call."""
    before = parts[parts.index(opener) - 1]
    return type(before) is tuple and before[0] == t.CALL


def _with_opener(source: Source, found: Diagnostic, opener: Token) -> Diagnostic:
    """Add the place of an opening parenthesis."""
    place = ("this one is open", Span(source.path, opener[1], opener[2]))
    return Diagnostic(found.code, Severity.ERROR, found.message, found.span, None, (), (), (place,))


def nested_too_deep(source: Source, token: Token) -> Diagnostic:
    """Say that blocks or parentheses are nested beyond reason."""
    span = Span(source.path, token[1], token[2])
    return error("nesting-too-deep", span, "this is nested too deep to be read")


def brace_below(source: Source, clauses: Clauses, token: Token) -> Diagnostic | None:
    """Describe a `{` on the line below its clause, or return None when it is not that."""
    if not clauses or clauses[-1].block is not None:
        return None
    start = clauses[-1].span.end
    between = source.text[start : token[1]]
    if ";" in between:
        return None
    fix = None
    if not between.strip():
        fix = Fix("put it on the line above", Span(source.path, start, token[2]), " {")
    span = Span(source.path, token[1], token[2])
    message = "the `{` of a block stands on the line of its clause"
    return error("brace-on-next-line", span, message, fix=fix)
