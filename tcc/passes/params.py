"""`param NAME : type [= default]`: values that come from outside the policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from tcc import language
from tcc.passes.context import Definition, Kind, close_to, listed
from tcc.passes.devices import name_problem
from tcc.passes.names import Names
from tcc.passes.reader import Operands
from tcc.passes.values import Amount, Literal, Value
from tcc.source import Source, Span
from tcc.syntax.numbers import Complaint, read_number
from tcc.syntax.tree import Clause, Operand
from tcc.units import Dimension

_DIMENSIONS = {
    "rate": Dimension.RATE,
    "size": Dimension.SIZE,
    "duration": Dimension.DURATION,
    "percent": Dimension.PERCENT,
    "count": Dimension.COUNT,
}
_EXAMPLES = {
    "rate": "18mbit", "size": "64KiB", "duration": "20ms", "percent": "95%", "count": "16",
    "device": "eth0",
}  # fmt: skip


@dataclass(frozen=True)
class Given:
    """The values that `--set` and `--vars` give, and where, for messages about them."""

    values: Mapping[str, object] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)


class Default(NamedTuple):
    """A parameter's default, to be checked once all names have values."""

    operand: Operand
    type_: str


def read_param(
    names: Names, clause: Clause, given: Given, unset: list[Definition]
) -> Default | None:
    """Enter a parameter with its value: the one given, else the default, else none.

    Codes: unknown-type, param-value and those of names.
    """
    values = names.values
    operands = Operands(names.reader, clause, language.TOP["param"].syntax)
    definition = names.value_name(Kind.PARAM, clause, operands)
    if not operands.named:
        return None  # there is no name, and that has been said
    type_ = operands.take_word("a type") if operands.expect(":") else None
    default = operands.take("a default") if type_ and operands.accept("=") else None
    operands.end()
    if definition is None:
        return None
    name = definition.name
    if type_ is None or type_.text not in language.PARAM_TYPES:
        if type_ is not None:
            names.reader.unknown_word(
                type_, language.PARAM_TYPES, "a type of parameter", "unknown-type"
            )
        values.settled[name] = None
        return None
    if name in given.values:
        values.settled[name] = _given(names, definition, type_.text, given)
    elif default is not None:
        values.lets[name] = default
    else:
        unset.append(definition)
        dimension = _DIMENSIONS.get(type_.text)
        values.settled[name] = Amount(None, dimension) if dimension else Literal(None)
    return Default(default, type_.text) if default is not None else None


def check_default(names: Names, default: Default | None) -> None:
    """Complain about a default that is not of the parameter's type. Codes: dimension-mismatch."""
    if default is None:
        return
    value = names.values.evaluate(default.operand)
    if value is not None and not _fits(value, default.type_):
        names.context.error(
            "dimension-mismatch",
            default.operand.span,
            f"the default is not a {default.type_}",
            f"such as {_EXAMPLES.get(default.type_, 'a text in quotes')}",
        )


def _fits(value: Value, type_: str) -> bool:
    if isinstance(value, Literal):
        return type_ in ("device", "text")
    return value.dimension is _DIMENSIONS.get(type_)


def _given(names: Names, definition: Definition, type_: str, given: Given) -> Value | None:
    """Read a value from outside by the parameter's type."""
    name = definition.name
    value = read_given(given.values[name], type_)
    if not isinstance(value, str):
        return value
    span = given.spans.get(name)
    names.context.error(
        "param-value",
        span or definition.span,
        f"{value}: `{given.values[name]}` cannot be the value of `{name}`",
        f"it is a {type_}" + (f", such as {_EXAMPLES[type_]}" if type_ in _EXAMPLES else ""),
        related=[("the parameter is declared here", definition.span)] if span else (),
    )
    return None


def read_given(value: object, type_: str) -> Value | str:
    """Return the value that some text (or a number from YAML or JSON) stands for.

    A string in return says what is wrong with it.
    """
    if type_ in ("device", "text"):
        if not isinstance(value, str):
            return "this is no text"
        problem = name_problem(value) if type_ == "device" else None
        return problem or Literal(value)
    if isinstance(value, int) and not isinstance(value, bool):
        amount = Amount(Fraction(value), Dimension.COUNT)
    elif isinstance(value, str):
        quantity = read_number(value.strip())
        if isinstance(quantity, Complaint):
            return quantity.message
        amount = Amount(quantity.amount, quantity.dimension)
    else:
        return "this is neither a text nor a whole number"
    if amount.dimension is _DIMENSIONS[type_]:
        return amount
    return (
        "the unit is missing" if amount.dimension is Dimension.COUNT else "this is something else"
    )


def check_given(names: Names, given: Given) -> None:
    """Complain about values for parameters that do not exist. Codes: unknown-param."""
    params = names.context.tables[Kind.PARAM]
    for name in given.values:
        if name not in params:
            names.context.missing(
                "unknown-param",
                given.spans.get(name),
                f"the policy has no parameter `{name}`",
                close_to(name, params),
                f"it has {listed(params)}" if params else "it has none",
            )
