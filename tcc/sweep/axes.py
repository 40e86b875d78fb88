"""`--vary PARAM=VALUES`: what varies, and the values it takes, each as a policy would write it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from tcc.diagnostics import Diagnostic, error
from tcc.source import Source, Span
from tcc.syntax.numbers import Complaint, read_number
from tcc.units import (
    Dimension,
    Quantity,
    format_duration,
    format_rate,
    format_size,
    read_quantity,
    whole,
)

ARGUMENT = "--vary"
"""What messages call the text of all `--vary` options, one a line."""
MOST_VALUES = 100_000
"""Of one axis: a grid that large is refused by what it would take, not by running out of memory."""
LONGEST_COUNT = 20
"""Characters that say how many values a range has."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that varies.

    Attributes:
        name: the parameter, as it was written.
        values: what it becomes, in the order asked for; no two are the same.
        span: where the option stands, for messages.
        spans: where each value comes from.
    """

    name: str
    values: tuple[str, ...]
    span: Span
    spans: tuple[Span, ...]


class _AxisError(Exception):
    """One value or range that cannot be: a diagnostic whose place is still one in its option."""

    def __init__(self, code: str, start: int, end: int, words: tuple[str, ...]) -> None:
        super().__init__(*words)
        self.code, self.start, self.end, self.words = code, start, end, words


def _error(code: str, start: int, end: int, *words: str) -> _AxisError:
    return _AxisError(code, start, end, words)


def read_axes(options: tuple[str, ...]) -> tuple[list[Axis], list[Diagnostic], Source]:
    """Return the axes, what is wrong with those left out, and the text that this points into.

    Codes: sweep-param, sweep-range, sweep-value.
    """
    source = Source(ARGUMENT, "".join(f"{option}\n" for option in options))
    axes: list[Axis] = []
    found: list[Diagnostic] = []
    at = 0
    for option in options:
        try:
            axis = _axis(option, at)
            if any(axis.name == other.name for other in axes):
                raise _error(
                    "sweep-param", 0, len(axis.name), f"`{axis.name}` is varied twice",
                    "name all its values in one --vary",
                )  # fmt: skip
            axes.append(axis)
        except _AxisError as problem:
            span = Span(ARGUMENT, at + problem.start, at + problem.end)
            found.append(error(problem.code, span, *problem.words))
        at += len(option) + 1
    return axes, found, source


def _axis(option: str, at: int) -> Axis:
    name, equals, _ = option.partition("=")
    if not equals or not name.strip():
        raise _error(
            "sweep-param", 0, len(option), "this names no parameter",
            "write --vary PARAM=VALUES, such as wan.egress.bandwidth=10mbit..50mbit/5",
        )  # fmt: skip
    values: list[str] = []
    spans: list[Span] = []
    for start, end in _pieces(option, len(name) + 1):
        piece = option[start:end]
        for value in _values(piece, start, end):
            if value in values:
                raise _error("sweep-value", start, end, f"{value} is there twice")
            values.append(value)
            spans.append(Span(ARGUMENT, at + start, at + end))
    if not values:
        raise _error(
            "sweep-range", 0, len(option), f"there is no value for `{name.strip()}`",
            "write values with commas between them, or FIRST..LAST/COUNT",
        )  # fmt: skip
    return Axis(
        name.strip(), tuple(values), Span(ARGUMENT, at, at + len(option)), tuple(spans)
    )  # fmt: skip


def _pieces(option: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where the values are that commas part, blanks around them left out.

    Commas in quotes or parentheses part nothing: `min(a, b)`.
    """
    depth, quoted, first = 0, False, start
    for place in range(start, len(option) + 1):
        sign = option[place : place + 1]
        quoted ^= sign == '"'
        depth += 0 if quoted else (sign == "(") - (sign == ")")
        if sign == "" or (sign == "," and not quoted and depth <= 0):
            piece = option[first:place]
            if piece.strip():
                left = len(piece) - len(piece.lstrip())
                yield first + left, first + len(piece.rstrip())
            first = place + 1


def _values(piece: str, start: int, end: int) -> Iterator[str]:
    """Yield the values of one piece: of a range as many as it says, else itself."""
    if ".." not in piece or piece.startswith('"'):
        quantity = read_quantity(piece)
        yield piece if quantity is None else written(quantity)
        return
    first, _, rest = piece.partition("..")
    last, slash, count = rest.partition("/")
    ends = [_quantity(text.strip(), start, end) for text in (first, last)]
    low, high = ends
    if low.dimension is not high.dimension:
        raise _error(
            "sweep-range", start, end, f"a range from a {low.dimension} to a {high.dimension}",
            f"write both ends with the same kind of unit, such as {_example(low.dimension)}",
        )  # fmt: skip
    if not slash or not count.strip().isdecimal() or len(count) > LONGEST_COUNT:
        raise _error(
            "sweep-range", start, end, "the range does not say how many values it has",
            f"write {piece.partition('/')[0]}/5 for five, evenly spaced, both ends included",
        )  # fmt: skip
    yield from _evenly(low, high, int(count), start, end)


def _evenly(low: Quantity, high: Quantity, count: int, start: int, end: int) -> Iterator[str]:
    if high.amount <= low.amount:
        raise _error(
            "sweep-range", start, end, "the range is empty: its end is not above its beginning",
            f"write the smaller value first, such as {_example(low.dimension)}",
        )  # fmt: skip
    if not 2 <= count <= MOST_VALUES:
        raise _error(
            "sweep-range", start, end, f"a range has at least 2 values and at most {MOST_VALUES:,}",
            "write one value by itself, without a range",
        )  # fmt: skip
    step = (high.amount - low.amount) / (count - 1)
    if low.dimension is Dimension.COUNT and step.denominator != 1:
        steps = int(high.amount - low.amount)
        raise _error(
            "sweep-range", start, end, f"{count} evenly spaced values are not whole numbers",
            f"{steps + 1} values are: write /{steps + 1}, or name the values with commas",
        )  # fmt: skip
    for number in range(count):
        yield written(Quantity(low.amount + number * step, low.dimension))


def _quantity(text: str, start: int, end: int) -> Quantity:
    quantity = read_quantity(text)
    if quantity is None:
        complaint = read_number(text)
        reason = complaint.message if isinstance(complaint, Complaint) else "it has no known unit"
        raise _error(
            "sweep-range", start, end, f"`{text}` cannot end a range: {reason}",
            "write such as 10mbit..50mbit/5 or 10ms..80ms/8",
        )  # fmt: skip
    return quantity


def _example(dimension: Dimension) -> str:
    return {
        Dimension.RATE: "10mbit..50mbit/5",
        Dimension.SIZE: "1MiB..4MiB/4",
        Dimension.DURATION: "10ms..80ms/8",
        Dimension.PERCENT: "50%..95%/10",
        Dimension.COUNT: "1..16/16",
    }[dimension]


def written(quantity: Quantity) -> str:
    """Return a quantity as a policy writes it; the same amount is always the same text.

    Rates, sizes and durations are whole bit/s, bytes and ns; shares have up to three decimals
    of a per cent.

    >>> written(Quantity(Fraction(10_000_000), Dimension.RATE))
    '10mbit'
    """
    dimension, amount = quantity.dimension, quantity.amount
    if dimension is Dimension.PERCENT:
        thousandths = whole(amount * 100_000)
        return f"{_decimal(thousandths)}%"
    if dimension is Dimension.COUNT:
        return str(amount.numerator) if amount.denominator == 1 else _exactly(amount)
    show = {
        Dimension.RATE: format_rate,
        Dimension.SIZE: format_size,
        Dimension.DURATION: format_duration,
    }[dimension]
    return show(whole(amount))


def _decimal(thousandths: int) -> str:
    sign = "-" if thousandths < 0 else ""
    head, tail = divmod(abs(thousandths), 1000)
    return f"{sign}{head}" + (f".{tail:03}".rstrip("0") if tail else "")


def _exactly(amount: Fraction) -> str:
    """Return a bare number with decimals, which every number that was written has."""
    digits = 0
    while (amount * 10**digits).denominator != 1:
        digits += 1
    text = f"{int(abs(amount) * 10**digits):0{digits + 1}}"
    return f"{'-' if amount < 0 else ''}{text[:-digits]}.{text[-digits:]}"
