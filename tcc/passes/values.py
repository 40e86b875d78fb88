"""Values: exact arithmetic over quantities that know what they measure.

A value that depends on a parameter without a value keeps its dimension and loses its
amount, so that dimensions are checked all the same. Amounts are fractions until `whole`
makes them integers, once.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.passes.context import Context, Definition, Kind, nearest
from tcc.source import Span
from tcc.syntax.tree import Binary, Broken, Call, Group, Many, Number, Operand, Text, Word
from tcc.units import Dimension

RATE, SIZE, DURATION = Dimension.RATE, Dimension.SIZE, Dimension.DURATION
PERCENT, COUNT = Dimension.PERCENT, Dimension.COUNT
LONGEST_BITS = 4096
"""Numbers longer than this are nobody's rate: arithmetic stops before it takes hours."""
LEAST_SHARE = Fraction(1, 100)
"""Shares of a rate below this are factors that got a `%` by mistake."""
_BITS_NS = 8 * 10**9


class Amount(NamedTuple):
    """A quantity; `amount` is None when it depends on a parameter without a value."""

    amount: Fraction | None
    dimension: Dimension


class Literal(NamedTuple):
    """A text; None when it depends on a parameter without a value."""

    text: str | None


Value = Amount | Literal


class Values:
    """The named values of a policy, settled in the order in which they need one another."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.lets: dict[str, Operand] = {}
        self.settled: dict[str, Value | None] = {}
        """By name: the value, or None when it is wrong and that has been said."""
        self.met = 0
        """How often the name of a value was met."""

    def settle(self, name: str) -> None:
        """Work out a `let` after those it needs; a circle is an error at the name."""
        open_: set[str] = set()
        waiting = [name]
        while waiting:
            current = waiting[-1]
            if current in self.settled:
                waiting.pop()
            elif current in open_:
                self.settled[current] = self.evaluate(self.lets[current])
                waiting.pop()
            else:
                open_.add(current)
                for word in _words_in(self.lets[current]):
                    if word.text in open_ and word.text not in self.settled:
                        self._circle(word)
                    elif word.text in self.lets and word.text not in self.settled:
                        waiting.append(word.text)

    def _circle(self, word: Word) -> None:
        self.context.error(
            "name-cycle",
            word.span,
            f"the value of `{word.text}` depends on itself",
            related=[("defined here", found.span)] if (found := self.definition(word.text)) else (),
        )
        self.settled[word.text] = None

    def named(self, word: Word) -> Value | None:
        """Return the value of a name; None, with an error, when there is none."""
        definition = self.definition(word.text)
        if definition is None:
            known = [*self.context.tables[Kind.LET], *self.context.tables[Kind.PARAM]]
            near = nearest(word.text, known)
            self.context.missing(
                "unknown-name",
                word.span,
                f"`{word.text}` is neither a value nor the name of one",
                "" if near else "give it one: let NAME = value",
                fix=Fix(f"write `{near}`", word.span, near, safe=False) if near else None,
            )
            return None
        if not definition.uses or definition.uses[-1] != word.span:
            definition.uses.append(word.span)
        if word.text not in self.settled:
            self.settle(word.text)
        return self.settled[word.text]

    def definition(self, name: str) -> Definition | None:
        """Return the `let` or `param` of that name."""
        tables = self.context.tables
        found = tables[Kind.LET].get(name) or tables[Kind.PARAM].get(name)
        self.met += found is not None
        return found

    def evaluate(self, operand: Operand) -> Value | None:
        """Return what an operand stands for; None, with an error said, when it is wrong.

        The parser bounds how deeply operands nest, so that recursion is safe here.

        Codes: unknown-name, name-cycle, dimension-mismatch, division-by-zero,
        expected-value, number-too-long.
        """
        match operand:
            case Number():
                return Amount(operand.amount, operand.dimension)
            case Word():
                return self.named(operand)
            case Text():
                return Literal(operand.value)
            case Group():
                return self.evaluate(operand.inner)
            case Binary() if operand.op != "..":
                return self._binary(operand)
            case Call():
                return self._call(operand)
            case Broken():
                return None
        self.context.error("expected-value", operand.span, "expected a single value here")
        return None

    def _amount(self, operand: Operand) -> Amount | None:
        value = self.evaluate(operand)
        if isinstance(value, Literal):
            self.context.error("dimension-mismatch", operand.span, "a text has no part in a sum")
            return None
        return value

    def _binary(self, operand: Binary) -> Amount | None:
        left = self._amount(operand.left)
        right = self._amount(operand.right)
        if left is None or right is None:
            return None
        dimension = _dimension_of(operand.op, left.dimension, right.dimension)
        if dimension is None:
            self.context.error(
                "dimension-mismatch",
                self.operator(operand),
                _mismatch(operand.op, left.dimension, right.dimension),
            )
            return None
        if operand.op == "/" and right.amount == 0:
            self.context.error("division-by-zero", self.operator(operand), "this divides by zero")
            return None
        if operand.op == "of" and isinstance(operand.left, Number):
            self._share(operand.left)
        if left.amount is None or right.amount is None:
            return Amount(None, dimension)
        amount = _calculate(operand.op, left, right)
        if amount.numerator.bit_length() + amount.denominator.bit_length() > LONGEST_BITS:
            self.context.error(
                "number-too-long", self.operator(operand), "the result has too many digits"
            )
            return None
        return Amount(amount, dimension)

    def _share(self, number: Number) -> None:
        """Find `share-implausible`: a percentage that was meant as a factor."""
        if 0 < number.amount < LEAST_SHARE:
            said, meant = (
                f"{float(amount * 100):g}%" for amount in (number.amount, number.amount * 100)
            )
            self.context.found.append(
                Diagnostic(
                    "share-implausible",
                    Severity.WARNING,
                    f"{said} is less than a hundredth",
                    number.span,
                    hints=(
                        "of 40mbit that is less than 400kbit, on which one packet takes 30 ms",
                        f"the factor {float(number.amount * 100):g} is {meant}",
                    ),
                    fixes=(Fix(f"write `{meant}`", number.span, meant, safe=False),),
                )
            )

    def operator(self, operand: Binary) -> Span:
        """Return the span of the operator itself."""
        left, right = operand.left.span, operand.right.span
        source = self.context.sources.get(left.path)
        at = source.text.find(operand.op, left.end, right.start) if source else -1
        return operand.span if at < 0 else Span(left.path, at, at + len(operand.op))

    def _call(self, call: Call) -> Amount | None:
        amounts = [self._amount(argument) for argument in call.arguments]
        known = [amount for amount in amounts if amount is not None]
        if not known or len(known) < len(amounts):
            if not amounts:
                self.context.error(
                    "missing-operand", call.span, f"`{call.name.text}` needs at least one value"
                )
            return None
        for amount, argument in zip(known, call.arguments, strict=True):
            if amount.dimension is not known[0].dimension:
                self.context.error(
                    "dimension-mismatch",
                    argument.span,
                    f"a {amount.dimension} cannot be compared with a {known[0].dimension}",
                )
                return None
        exact = [amount.amount for amount in known if amount.amount is not None]
        if len(exact) < len(known):
            return Amount(None, known[0].dimension)
        return Amount((min if call.name.text == "min" else max)(exact), known[0].dimension)


def _words_in(operand: Operand) -> Iterator[Word]:
    waiting: list[Operand] = [operand]
    while waiting:
        part = waiting.pop()
        match part:
            case Word():
                yield part
            case Group():
                waiting.append(part.inner)
            case Binary():
                waiting += (part.left, part.right)
            case Call():
                waiting += part.arguments
            case Many():
                waiting += part.items


_PRODUCTS = {
    (RATE, DURATION): SIZE,
    (DURATION, RATE): SIZE,
}
_QUOTIENTS = {
    (SIZE, RATE): DURATION,
    (SIZE, DURATION): RATE,
}
_PURE = (COUNT, PERCENT)


def _dimension_of(op: str, left: Dimension, right: Dimension) -> Dimension | None:
    """Return what `left op right` measures; None when it means nothing."""
    if op in ("+", "-"):
        return left if left is right else None
    if op == "of":
        return right if left is PERCENT else None
    if op == "*":
        if left in _PURE:
            return right if right is not COUNT else left
        return left if right in _PURE else _PRODUCTS.get((left, right))
    if right in _PURE:
        return left
    return COUNT if left is right else _QUOTIENTS.get((left, right))


def _calculate(op: str, left: Amount, right: Amount) -> Fraction:
    a, b = left.amount, right.amount
    assert a is not None
    assert b is not None
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "/":
        quotient = a / b
        return quotient * _BITS_NS if (left.dimension, right.dimension) in _QUOTIENTS else quotient
    product = a * b
    return product / _BITS_NS if (left.dimension, right.dimension) in _PRODUCTS else product


def _mismatch(op: str, left: Dimension, right: Dimension) -> str:
    if op == "of":
        return f"`of` takes a share of something, and a {left} is no percentage"
    verb = {"+": "add a {1} to a {0}", "-": "subtract a {1} from a {0}"}.get(
        op, "multiply a {0} by a {1}" if op == "*" else "divide a {0} by a {1}"
    )
    return "one cannot " + verb.format(left, right)
