"""Commands in a shell script, a unit or a list of commands: words, with variables filled in.

No shell runs: only what is plain in the text is understood. Variables that are set to a text or to
integer arithmetic are filled in; what depends on anything else is left out, and said so.
"""

import ast
import operator
import re
import shlex
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

UNKNOWN: Final = "\0"
"""Stands for what only a shell would know."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.S)
_DECLARING: Final = frozenset({"export", "local", "readonly", "declare"})
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|([A-Za-z_]\w*))")
_ARITHMETIC = re.compile(r"\$\(\((.*?)\)\)", re.S)
_COMMAND = re.compile(r"\$\([^()]*(?:\([^()]*\)[^()]*)*\)|`[^`]*`")
_POSITIONAL = re.compile(r"\$[0-9@*#?!]|\$\{[0-9@*#?!][^}]*\}|\$\{[^}]*\}")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_BATCH = re.compile(r"\buci\b.*\bbatch\b.*<<-?\s*['\"]?(\w+)")
_SEPARATORS: Final = frozenset({";", "&&", "||", "|", "&", ";;", "(", ")", "|&"})
_LEADING: Final = frozenset(
    {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "sudo", "exec", "command",
     "time", "nice", "eval", "-"}
)  # fmt: skip
_OPERATORS: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.floordiv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_LARGEST: Final = 2**63


class Command(NamedTuple):
    """One command and the line that it begins on."""

    line: int
    words: tuple[str, ...]


def commands(text: str) -> Iterator[Command]:
    """Yield the commands of a text in order."""
    variables: dict[str, str] = {}
    for line, written in _logical_lines(text):
        for words in _split(_expand(written, variables)):
            yield Command(line, tuple(words))
        for name, value in _assignments(written, variables):
            variables[name] = value


def with_batches(text: str) -> str:
    r"""Return a script in which the here-documents for `uci batch` are commands of its own.

    >>> with_batches("uci -q batch <<'E'\nset sqm.wan=queue\nE\n").splitlines()
    ['', 'set sqm.wan=queue', '']
    """
    lines: list[str] = []
    end = ""
    for line in text.splitlines():
        begins = None if end else _BATCH.search(line)
        ends = bool(end) and line.strip() == end
        if begins or ends:
            end = begins[1] if begins else ""
        lines.append("" if begins or ends else line)
    return "".join(f"{line}\n" for line in lines)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with those that go on joined, and here-documents left out."""
    ends: list[str] = []
    start, held = 1, ""
    for number, line in enumerate(text.splitlines(), 1):
        if ends:
            if line.strip() == ends[0]:
                ends.pop(0)
            continue
        if not held:
            start = number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        whole, held = held + line, ""
        ends = [match[2] for match in _HEREDOC.finditer(whole)]
        yield start, whole
    if held:
        yield start, held


def _expand(text: str, variables: dict[str, str]) -> str:
    """Return text with variables and arithmetic filled in, but for what is in single quotes."""
    parts = re.split(r"('[^']*')", text)
    return "".join(
        part if index % 2 else _fill(part, variables) for index, part in enumerate(parts)
    )


def _fill(text: str, variables: dict[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[3]
        return variables.get(name, match[2] if match[2] is not None else UNKNOWN)

    text = _ARITHMETIC.sub(lambda match: _calculated(match[1], variables), text)
    text = _COMMAND.sub(UNKNOWN, text)
    text = _VARIABLE.sub(value, text)
    return _POSITIONAL.sub(UNKNOWN, text)


def _calculated(text: str, variables: dict[str, str]) -> str:
    """Return the value of integer arithmetic, or UNKNOWN."""
    filled = re.sub(
        r"\$?\{?([A-Za-z_]\w*)\}?", lambda match: variables.get(match[1], UNKNOWN), text
    )
    try:
        return str(_number(ast.parse(filled.strip(), mode="eval").body))
    except (ValueError, SyntaxError, ZeroDivisionError, RecursionError, MemoryError):
        return UNKNOWN


def _number(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        found = node.value
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        found = _OPERATORS[type(node.op)](_number(node.left), _number(node.right))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = -_number(node.operand)
    else:
        raise ValueError("no arithmetic")
    if abs(found) >= _LARGEST:
        raise ValueError("too large")
    return found


def _assignments(written: str, variables: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what a line sets: one that several commands share may use what it has set itself."""
    known = dict(variables)
    for part in re.split(r";(?=\s*[A-Za-z_]\w*=)", written):
        for words in _split(_expand(part, known)):
            for word in words:
                match = _ASSIGNMENT.fullmatch(word)
                if match is None and word not in _DECLARING:
                    break
                if match is not None:
                    known[match[1]] = match[2]
                    yield match[1], match[2]


def _split(text: str) -> Iterator[list[str]]:
    """Yield the commands of one line."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()")
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError:
        return  # an open quote: not a line of commands
    words: list[str] = []
    for token in [*tokens, ";"]:
        if token in _SEPARATORS or token.startswith((";", "&", "|")):
            if words:
                yield words
            words = []
        elif words or token not in _LEADING:
            words.append(token)
