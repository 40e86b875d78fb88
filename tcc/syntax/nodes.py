"""What each terminal and each rule of the grammar makes: the nodes of the tree.

A value that cannot be read becomes a `Broken` node and a diagnostic, and the rest of its
clause is read on.
"""

import re
from collections.abc import Callable
from sys import intern
from typing import Any

from tcc.diagnostics import Diagnostic, Fix, error
from tcc.source import OFFSET_BITS, Source, Span, file_bits
from tcc.syntax import tables as t
from tcc.syntax.characters import INVISIBLE, LOOK_ALIKES, is_odd
from tcc.syntax.lexer import Token
from tcc.syntax.numbers import Complaint, number_before, read_number
from tcc.syntax.tree import (
    Address,
    Binary,
    Block,
    Broken,
    Call,
    Clause,
    Group,
    Many,
    Number,
    Symbol,
    Text,
    Word,
)
from tcc.units import Quantity

# What a symbol of the grammar stands for on the parser's stack: a node, a token, a list.
Value = Any

MOST_OPERATORS = 100
FUNCTIONS = ("min", "max")

_IPV4 = re.compile(r"(\d+)\.(\d+)\.(\d+)\.(\d+)(?:/(\d+))?", re.ASCII)
_WRONG_SYMBOLS = {"==": "=", ">": ">=", "<": "<=", "=>": ">=", "=<": "<="}


_new = int.__new__  # spans are made for every word: twice as fast as calling Span


class Clauses(list[Clause]):
    """The clauses of the file or of a block, while they are being read."""


class Items(list[Value]):
    """Values joined by commas, while they are being read."""


class Nodes:
    """Makes the nodes of one file; what is wrong with them goes to `found`."""

    def __init__(self, source: Source, found: list[Diagnostic]) -> None:
        """Make nodes for the text of `source`."""
        self.path, self.text, self.found = source.path, source.text, found
        self._file = file_bits(source.path)
        self._numbers: dict[str, Quantity] = {}
        self._operators = 0
        self.terminals: list[Callable[[Token], Value] | None] = [None] * (t.END + 1)
        for kind, make in (
            (t.WORD, self.word),
            (t.NUMBER, self.number),
            (t.BAD_NUMBER, self.number),
            (t.STRING, self.string),
            (t.BAD_STRING, self.unclosed_string),
            (t.ADDRESS, self.address),
            (t.SYMBOL, self.symbol),
            (t.STRAY, self.stray),
            (t.MINUS, self.minus),
        ):
            self.terminals[kind] = make

    def span(self, token: Token) -> Span:
        """Return where `token` stands."""
        return Span(self.path, token[1], token[2])

    def _report(
        self, code: str, span: Span, message: str, *hints: str, fix: Fix | None = None
    ) -> Broken:
        self.found.append(error(code, span, message, *hints, fix=fix))
        return Broken(span)

    # Terminals.

    def word(self, token: Token) -> Word:
        """Make a name or keyword; equal ones share their text."""
        _, start, end = token
        return Word(
            _new(Span, self._file | start << OFFSET_BITS | end - start),
            intern(self.text[start:end]),
        )

    def number(self, token: Token) -> Number | Broken:
        """Make a number, or report `number-unit`, `number-malformed`, `number-too-long`."""
        _, start, end = token
        text = self.text[start:end]
        quantity = self._numbers.get(text)
        if quantity is None:
            start = number_before(self.text, start) if not _has_digit(text) else start
            text = "".join(self.text[start:end].split())
            read = read_number(text)
            span = Span(self.path, start, end)
            if len(text) < end - start:
                return self._apart(span, text, read)
            if isinstance(read, Complaint):
                return self._complain(span, read)
            quantity = self._numbers[intern(text)] = read
        span = _new(Span, self._file | start << OFFSET_BITS | end - start)
        return Number(span, quantity.amount, quantity.dimension, intern(text))

    def _complain(self, span: Span, complaint: Complaint) -> Broken:
        fix = None
        if complaint.fix is not None:
            fix = Fix(f"write `{complaint.fix}`", span, complaint.fix, complaint.safe)
        return self._report(complaint.code, span, complaint.message, *complaint.hints, fix=fix)

    def _apart(self, span: Span, joined: str, read: Quantity | Complaint) -> Broken:
        """Report a unit that stands apart from its number."""
        if isinstance(read, Complaint):
            return self._complain(span, read)
        fix = Fix(f"write `{joined}`", span, joined)
        message = "a number and its unit are written without a blank between them"
        return self._report("number-unit-apart", span, message, fix=fix)

    def string(self, token: Token) -> Text | Broken:
        r"""Make a text without its quotes, or report `string-escape`; known: `\"`, `\\`."""
        _, start, end = token
        value = self.text[start + 1 : end - 1]
        span = Span(self.path, start, end)
        if "\\" in value:
            if self._wrong_escapes(value, start + 1):
                return Broken(span)
            value = re.sub(r"\\(.)", r"\1", value)
        return Text(span, value)

    def _wrong_escapes(self, value: str, start: int) -> bool:
        """Report the escapes in `value` that are none; return whether there are any."""
        wrong = [m for m in re.finditer(r"\\(.)", value) if m[1] not in '"\\']
        for match in wrong:
            span = Span(self.path, start + match.start(), start + match.end())
            hint = r"the escapes are \" and \\; a backslash itself is written \\"
            fix = Fix("write the backslash twice", span, f"\\{match[0]}", safe=False)
            self._report("string-escape", span, f"`{match[0]}` is no escape", hint, fix=fix)
        return bool(wrong)

    def unclosed_string(self, token: Token) -> Broken:
        """Report `string-unclosed`."""
        _, start, end = token
        text = self.text[start:end].rstrip()
        end = start + len(text)
        escaped = len(text) - len(text.rstrip("\\")) & 1  # the quote would be escaped
        fix = Fix('add `"`', Span(self.path, end, end), "\\" * escaped + '"', safe=False)
        return self._report(
            "string-unclosed",
            Span(self.path, start, end),
            'this text has no closing `"`',
            "a text ends on the line it starts on",
            fix=fix,
        )

    def address(self, token: Token) -> Address | Broken:
        """Make an address, or report `address-malformed`."""
        span = self.span(token)
        text = self.text[token[1] : token[2]]
        wrong = _wrong_address(text)
        if wrong is None:
            return Address(span, text)
        return self._report("address-malformed", span, f"`{text}` is no address", wrong)

    def symbol(self, token: Token) -> Symbol:
        """Make `=`, `:`, `>=` or `<=`."""
        return Symbol(self.span(token), intern(self.text[token[1] : token[2]]))

    def minus(self, token: Token) -> Token:
        """Report `minus-without-blanks` unless the sign stands between blanks."""
        _, start, end = token
        before, after = self.text[start - 1 : start].isspace(), self.text[end : end + 1]
        if not (before and (after.isspace() or after == "#" or not after)):
            span = Span(self.path, start, end)
            text = (" " * (not before)) + "-" + " " * (not after.isspace())
            fix = Fix("put blanks around it", span, text)
            message = "a minus sign in a calculation has blanks around it"
            self._report("minus-without-blanks", span, message, fix=fix)
        return token

    def stray(self, token: Token) -> Broken:
        """Report a character that is not part of the language."""
        span = self.span(token)
        text = self.text[token[1] : token[2]]
        if text in INVISIBLE:
            name, instead = INVISIBLE[text]
            fix = Fix("take it out" if not instead else "write a blank", span, instead)
            return self._report("character-invisible", span, f"{name} stands here", fix=fix)
        if is_odd(text):
            return Broken(span)
        if text in _WRONG_SYMBOLS:
            right = _WRONG_SYMBOLS[text]
            fix = Fix(f"write `{right}`", span, right, safe=False)
            message = f"`{text}` is not part of the language; there are `=`, `>=` and `<=`"
            return self._report("character-stray", span, message, fix=fix)
        if text[0].isalpha():
            hint = "names have the letters a-z and A-Z, digits, `_`, and `-` or `.` between them"
            message = f"`{text}` is no name"
            return self._report("name-not-ascii", span, message, hint)
        if text in LOOK_ALIKES:
            right = LOOK_ALIKES[text]
            fix = Fix(f"write `{right}`", span, right, safe=False)
            message = f"`{text}` is written `{right}` here"
            return self._report("character-stray", span, message, fix=fix)
        before = number_before(self.text, span.start) if text == "%" else -1
        if before >= 0:
            joined = "".join(self.text[before : span.end].split())
            return self._apart(Span(self.path, before, span.end), joined, read_number(joined))
        return self._report("character-stray", span, f"`{text}` is not part of the language")

    # Rules; each gets the values of its symbols.

    def no_clauses(self, _: list[Value]) -> Clauses:
        """Begin a list of clauses."""
        return Clauses()

    def more_clauses(self, parts: list[Value]) -> Clauses:
        """Add a clause."""
        clauses: Clauses = parts[0]
        clauses.append(parts[1])
        return clauses

    def clause(self, parts: list[Value]) -> Clause:
        """Make a clause of `prefer`, a word, operands, a block and END."""
        self._operators = 0
        prefer = block = None
        operands: tuple[Value, ...] = ()
        if type(parts[0]) is tuple:
            prefer = self.span(parts.pop(0))
        word = last = parts[0]
        if len(parts) > 2:
            last = parts[-2]
            if type(last) is Block:
                block = last
            if type(parts[1]) is list:
                operands = tuple(parts[1])
                if block is None:
                    last = operands[-1]
        span = Span(self.path, word.span.start, last.span.end)
        return Clause(span, word, operands, block, prefer)

    def block(self, parts: list[Value]) -> Block:
        """Make a block; its span includes the braces."""
        return Block(Span(self.path, parts[0][1], parts[2][2]), tuple(parts[1]))

    def first_operand(self, parts: list[Value]) -> list[Value]:
        """Begin a list of operands."""
        return [self.many(parts[0])]

    def first_symbol(self, parts: list[Value]) -> list[Value]:
        """Begin a list of operands with a symbol and what follows it."""
        return [parts[0], self.many(parts[1])]

    def more_operands(self, parts: list[Value]) -> list[Value]:
        """Add an operand, and the symbol before it."""
        operands: list[Value] = parts[0]
        if len(parts) > 2:
            operands.append(parts[1])
        operands.append(self.many(parts[-1]))
        return operands

    def more_arguments(self, parts: list[Value]) -> list[Value]:
        """Add an argument of a call."""
        arguments: list[Value] = parts[0]
        arguments.append(parts[2])
        return arguments

    def first_two(self, parts: list[Value]) -> Items:
        """Begin a list of values with commas between them."""
        return Items((parts[0], parts[2]))

    def one_more(self, parts: list[Value]) -> Items:
        """Add a value behind a comma."""
        items: Items = parts[0]
        items.append(parts[2])
        return items

    def many(self, value: Value) -> Value:
        """Return `value`, made a `Many` when it is values with commas between them."""
        if type(value) is not Items:
            return value
        return Many(value[0].span.to(value[-1].span), tuple(value))

    def binary(self, parts: list[Value]) -> Binary | Broken:
        """Make `left op right`, or report `expression-too-long`."""
        left, (kind, start, end), right = parts
        span = left.span.to(right.span)
        self._operators += kind != t.RANGE
        if self._operators > MOST_OPERATORS:
            if self._operators == MOST_OPERATORS + 1:
                message = f"this clause has more than {MOST_OPERATORS} operators"
                self._report("expression-too-long", span, message)
            return Broken(span)
        return Binary(span, intern(self.text[start:end]), left, right)

    def call(self, parts: list[Value]) -> Call | Broken:
        """Make `min(a, b)`, or report `function-unknown`."""
        name, _, arguments, close = parts
        word = self.word(name)
        if word.text not in FUNCTIONS:
            message = f"no function is called `{word.text}`"
            hint = "there are `min( )` and `max( )`; a blank belongs before other brackets"
            return self._report("function-unknown", word.span, message, hint)
        return Call(Span(self.path, name[1], close[2]), word, tuple(arguments))

    def group(self, parts: list[Value]) -> Group:
        """Make a value in parentheses."""
        return Group(Span(self.path, parts[0][1], parts[2][2]), parts[1])


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _wrong_address(text: str) -> str | None:
    """Return why `text` is neither an IPv4 nor an IPv6 address or prefix, or None."""
    match = _IPV4.fullmatch(text)
    if match is None:
        return _wrong_ipv6(text)
    for part in match.groups()[:4]:
        if int(part[:4]) > 255 or len(part) > 3:
            return f"`{part}` is above 255"
        if len(part) > 1 and part[0] == "0":
            return f"`{part}` starts with a 0, which some programs take for octal"
    if match[5] and (len(match[5]) > 2 or int(match[5]) > 32):
        return "the prefix of an IPv4 address has at most 32 bits"
    return None


def _wrong_ipv6(text: str) -> str | None:
    """Return why `text` is no IPv6 address or prefix, or None."""
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 (start-up time)

    address, slash, prefix = text.partition("/")
    if slash and (len(prefix) > 3 or int(prefix) > 128):
        return "the prefix of an IPv6 address has at most 128 bits"
    if len(address) > 45:
        return "an IPv6 address has eight groups"
    try:
        IPv6Address(address)
    except AddressValueError as problem:
        return str(problem).partition(" in ")[0][0].lower() + str(problem).partition(" in ")[0][1:]
    return None
