"""Read the operands of a clause, from left to right, as what its node needs.

Whatever is wrong is said once, at the words that are wrong, with what would be right.
A method that returns None has either said so or met a value that depends on a parameter
without a value; in both cases the field stays empty.
"""

from collections.abc import Collection, Iterator
from fractions import Fraction

from tcc.diagnostics import Fix
from tcc.passes.context import Context, listed, nearest
from tcc.passes.values import Amount, Literal, Values
from tcc.source import Span
from tcc.syntax.tree import Address, Clause, Many, Number, Operand, Symbol, Text, Word
from tcc.units import Dimension, format_duration, format_rate, format_size, whole

U16, U32 = 2**16 - 1, 2**32 - 1
MAX_RATE = 2**63 - 1  # bit/s: what a signed 64-bit field holds
MAX_SIZE = U32  # the kernel's sizes are 32 bits wide
MAX_DURATION = 2**63 - 1  # ns: the kernel's ktime_t

_EXAMPLES = {
    Dimension.RATE: "100mbit",
    Dimension.SIZE: "1514B",
    Dimension.DURATION: "20ms",
    Dimension.PERCENT: "95%",
    Dimension.COUNT: "16",
}
_WRITTEN = {
    Dimension.RATE: format_rate,
    Dimension.SIZE: format_size,
    Dimension.DURATION: format_duration,
}


class Reader:
    """Turns operands into integers, texts and words, and says what is wrong with them."""

    def __init__(self, context: Context, values: Values) -> None:
        self.context = context
        self.values = values

    def quantity(self, operand: Operand, dimension: Dimension, low: int, high: int) -> int | None:
        """Return an integer of the base unit between `low` and `high`.

        Codes: missing-unit, dimension-mismatch, negative-value, value-out-of-range, and
        those of `Values.evaluate`.
        """
        exact = self.exact(operand, dimension)
        if exact is None:
            return None
        amount = exact.numerator if exact.denominator == 1 else whole(exact)
        if low <= amount <= high:
            return amount
        self._out_of_range(operand, dimension, amount, low, high)
        return None

    def _out_of_range(
        self, operand: Operand, dimension: Dimension, amount: int, low: int, high: int
    ) -> None:
        written = _WRITTEN.get(dimension, str)
        if amount < 0 <= low:
            self.context.error(
                "negative-value",
                operand.span,
                f"{written(amount)} is negative",
                f"a {dimension} is not negative here",
            )
            return
        few = amount < low
        self.context.error(
            "value-out-of-range",
            operand.span,
            f"{written(amount)} is too {'little' if few else 'much'}",
            f"at least {written(low)} can stand here"
            if few
            else "no field can hold that"
            if high >= MAX_RATE
            else f"at most {written(high)} can stand here",
        )

    def exact(self, operand: Operand, dimension: Dimension) -> Fraction | None:
        """Return the exact amount of a quantity of that dimension."""
        if type(operand) is Number and operand.dimension is dimension:
            return operand.amount
        value = self.values.evaluate(operand)
        if value is None:
            return None
        if isinstance(value, Amount) and value.dimension is dimension:
            return value.amount
        self._other_dimension(operand, value, dimension)
        return None

    def _other_dimension(
        self, operand: Operand, value: Amount | Literal, dimension: Dimension
    ) -> None:
        example = _EXAMPLES[dimension]
        if isinstance(value, Literal):
            self.context.error(
                "dimension-mismatch", operand.span,
                f"expected a {dimension}, such as {example}, and not a text",
            )  # fmt: skip
        elif value.dimension is Dimension.COUNT and not isinstance(operand, Number):
            self.context.error(
                "dimension-mismatch",
                operand.span,
                f"expected a {dimension}, such as {example}, and this is a bare number",
            )
        elif value.dimension is Dimension.COUNT:
            self.context.error(
                "missing-unit",
                operand.span,
                f"a {dimension} is written with its unit",
                f"such as {example}",
            )
        elif value.dimension is Dimension.PERCENT and dimension is not Dimension.COUNT:
            self.context.error(
                "dimension-mismatch",
                operand.span,
                f"a percentage of what {dimension}?",
                f"write `95% of {example}`",
                fix=self._share(operand, dimension),
            )
        else:
            self.context.error(
                "dimension-mismatch",
                operand.span,
                f"expected a {dimension}, such as {example}, and this is a {value.dimension}",
            )

    def _share(self, operand: Operand, dimension: Dimension) -> Fix | None:
        """Return the fix that takes the share of the only value there is to take it of."""
        names = [
            name
            for name, value in self.values.settled.items()
            if isinstance(value, Amount) and value.dimension is dimension
        ]
        if len(names) != 1 or not isinstance(operand, Number):
            return None
        text = f"{operand.text} of {names[0]}"
        return Fix(f"write `{text}`", operand.span, text, safe=False)

    def rate(self, operand: Operand) -> int | None:
        """Return bit/s; at least 1, because the kernel takes 0 for unlimited."""
        return self.quantity(operand, Dimension.RATE, 1, MAX_RATE)

    def size(self, operand: Operand, low: int = 1, high: int = MAX_SIZE) -> int | None:
        """Return bytes."""
        return self.quantity(operand, Dimension.SIZE, low, high)

    def duration(self, operand: Operand, low: int = 1, high: int = MAX_DURATION) -> int | None:
        """Return ns."""
        return self.quantity(operand, Dimension.DURATION, low, high)

    def count(self, operand: Operand, low: int = 1, high: int = U32) -> int | None:
        """Return a whole number; fractions are errors, for half a flow is none."""
        exact = self.exact(operand, Dimension.COUNT)
        if exact is None:
            return None
        if exact.denominator != 1:
            self.context.error(
                "value-out-of-range", operand.span, "expected a whole number",
                "half of it cannot be had",
            )  # fmt: skip
            return None
        return self.quantity(operand, Dimension.COUNT, low, high)

    def ratio(self, operand: Operand, low: int = 0, high: int = 1) -> Fraction | None:
        """Return a ratio, written as a percentage or as a bare number."""
        value = self.values.evaluate(operand)
        if value is None:
            return None
        if not isinstance(value, Amount) or value.dimension not in (
            Dimension.PERCENT,
            Dimension.COUNT,
        ):
            self.context.error(
                "dimension-mismatch", operand.span, "expected a ratio, such as 95% or 0.95"
            )
            return None
        if value.amount is None or low <= value.amount <= high:
            return value.amount
        self.context.error(
            "value-out-of-range", operand.span, "the ratio is out of range",
            f"it must be from {low} to {high}" + (", that is 100%" if high == 1 else ""),
        )  # fmt: skip
        return None

    def text(self, operand: Operand, what: str) -> str | None:
        """Return a text, or that of a `let` or `param` that holds one.

        A bare word that is no such name is an error with the fix that quotes it.
        """
        if isinstance(operand, Text):
            return operand.value
        if isinstance(operand, Word) and self.values.definition(operand.text) is None:
            self.context.error(
                "unquoted-text",
                operand.span,
                f"{what} is written in quotes",
                "without quotes this would be the name of a `let` or `param`",
                fix=Fix(f'write `"{operand.text}"`', operand.span, f'"{operand.text}"'),
            )
            return None
        if isinstance(operand, Number | Address):
            self.context.error(
                "unquoted-text", operand.span, f"{what} is written in quotes",
                fix=Fix(f'write `"{operand.text}"`', operand.span, f'"{operand.text}"'),
            )  # fmt: skip
            return None
        value = self.values.evaluate(operand)
        if isinstance(value, Amount):
            self.context.error(
                "dimension-mismatch", operand.span, f"expected {what}, and this is a quantity"
            )
            return None
        return value.text if value else None

    def unknown_word(
        self, word: Word, accepted: Collection[str], what: str, code: str = "unknown-value"
    ) -> None:
        """Say that a word is none of those accepted, with the nearest one as a fix."""
        near = nearest(word.text, accepted)
        self.context.error(
            code,
            word.span,
            f"`{word.text}` is not {what}",
            f"it takes {listed(accepted)}" if accepted else "",
            fix=Fix(f"write `{near}`", word.span, near, safe=False) if near else None,
        )


def items_of(operand: Operand) -> tuple[Operand, ...]:
    """Return the values joined by commas; just one when there is no comma."""
    return operand.items if isinstance(operand, Many) else (operand,)


class Operands:
    """The operands of one clause, taken one after the other."""

    __slots__ = ("_at", "_items", "clause", "reader", "syntax")

    def __init__(
        self, reader: Reader, clause: Clause, syntax: str, items: tuple[Operand, ...] | None = None
    ) -> None:
        self.reader = reader
        self.clause = clause
        self.syntax = syntax
        self._items = clause.operands if items is None else items
        self._at = 0

    @property
    def span(self) -> Span:
        """The operands, or the clause's word when there are none."""
        return operands_span(self.clause)

    def peek(self) -> Operand | None:
        """Return the next operand and leave it where it is."""
        at = self._at
        return self._items[at] if at < len(self._items) else None

    def word(self) -> str | None:
        """Return the text of the next operand if it is a bare word."""
        operand = self.peek()
        return operand.text if type(operand) is Word else None

    def accept(self, *texts: str) -> Operand | None:
        """Take the next operand if it is one of these words or symbols."""
        at = self._at
        if at < len(self._items):
            operand = self._items[at]
            if (type(operand) is Word or type(operand) is Symbol) and operand.text in texts:
                self._at = at + 1
                return operand
        return None

    def take(self, what: str = "") -> Operand | None:
        """Take the next operand; when there is none and `what` is said, that is an error."""
        at = self._at
        if at < len(self._items):
            self._at = at + 1
            return self._items[at]
        if what:
            self.missing(what)
        return None

    @property
    def named(self) -> bool:
        """Whether the first operand is a word: the name of what is defined."""
        return bool(self._items) and isinstance(self._items[0], Word)

    def take_word(self, what: str) -> Word | None:
        """Take a bare word; anything else is an error."""
        operand = self.peek()
        if isinstance(operand, Word):
            self._at += 1
            return operand
        if operand is None:
            self.missing(what)
        else:
            self.reader.context.error(
                "expected-word", operand.span, f"expected {what} here", self.usage
            )
            self._at = len(self._items)
        return None

    def choose(self, accepted: Collection[str], what: str) -> str | None:
        """Take one of the accepted words."""
        word = self.take_word(what)
        if word is None:
            return None
        if word.text in accepted:
            return word.text
        self.reader.unknown_word(word, accepted, what)
        return None

    def expect(self, *texts: str) -> bool:
        """Take one of these words or symbols; anything else is an error."""
        if self.accept(*texts):
            return True
        operand = self.peek()
        wanted = " or ".join(f"`{text}`" for text in texts)
        if operand is None:
            self.missing(wanted)
        else:
            self.reader.context.error(
                "expected-word", operand.span, f"expected {wanted} here", self.usage
            )
            self._at = len(self._items)
        return False

    def end(self) -> None:
        """Say that whatever is left does not belong here."""
        operand = self.peek()
        if operand is not None:
            self._at = len(self._items)
            self.reader.context.error(
                "unexpected-operand",
                operand.span,
                f"this does not belong to `{self.clause.word.text}`",
                self.usage,
            )

    def missing(self, what: str) -> None:
        """Say that `what` is missing after the last operand."""
        last = self.clause.operands[-1].span if self.clause.operands else self.clause.word.span
        self.reader.context.missing(
            "missing-operand", last, f"`{self.clause.word.text}` lacks {what}", self.usage
        )

    @property
    def usage(self) -> str:
        """The syntax of the clause as a hint."""
        return f"write: {self.syntax}"

    def rest(self) -> Iterator[Operand]:
        """Take all that is left."""
        while (operand := self.take()) is not None:
            yield operand


def operands_span(clause: Clause) -> Span:
    """Return the span from the first to the last operand; of the word when there are none."""
    operands = clause.operands
    if not operands:
        return clause.word.span
    first = operands[0].span
    return first if len(operands) == 1 else Span(first.path, first.start, operands[-1].span.end)
