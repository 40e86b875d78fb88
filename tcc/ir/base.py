"""What every node of the policy shares, and the integer types with their units.

Nodes are frozen and refuse unknown fields. Where a node was written is not part of it:
spans live in a side table keyed by path, so that equal policies are equal wherever they
were read from. In JSON every quantity is a string with its unit (`"95mbit"`, `"20ms"`),
because a bare number is a mistake waiting to happen; in Python it is an integer.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from tcc.source import Span
from tcc.units import (
    Dimension,
    format_duration,
    format_rate,
    format_size,
    read_quantity,
    whole,
)

Path = tuple[str | int, ...]
Spans = Mapping[Path, Span]


class Node(BaseModel):
    """A part of a policy: immutable, strict, comparable by value."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        arbitrary_types_allowed=True,
    )


class Options(Node):
    """Base of the options that a qdisc plugin declares for its kind."""


def span_at(spans: Spans, path: Path) -> Span | None:
    """Return the span of `path`, or of the nearest enclosing thing that has one."""
    for end in range(len(path), -1, -1):
        if (span := spans.get(path[:end])) is not None:
            return span
    return None


def _reader(dimension: Dimension, example: str) -> BeforeValidator:
    def read(value: Any) -> Any:  # noqa: ANN401  (pydantic hands over whatever came)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        quantity = read_quantity(value) if isinstance(value, str) else None
        if quantity is None or quantity.dimension is not dimension:
            raise PydanticCustomError(
                f"not_a_{dimension}",
                "expected a {dimension} with its unit, such as {example}",
                {"dimension": str(dimension), "example": example},
            )
        return whole(quantity.amount)

    return BeforeValidator(read)


_NUMBER = r"^-?[0-9]+(\.[0-9]+)?"
_SCALE = "([kmgtKMGT]i?)?"


def _schema(pattern: str, example: str, what: str) -> WithJsonSchema:
    return WithJsonSchema(
        {
            "type": "string",
            "pattern": pattern,
            "examples": [example],
            "description": what,
        }
    )


BitRate = Annotated[
    int,
    _reader(Dimension.RATE, "100mbit"),
    PlainSerializer(format_rate, when_used="json"),
    _schema(rf"{_NUMBER}{_SCALE}([bB][iI][tT]|B/s)$", "100mbit", "a rate; bit/s inside"),
]
Bytes = Annotated[
    int,
    _reader(Dimension.SIZE, "1514B"),
    PlainSerializer(format_size, when_used="json"),
    _schema(rf"{_NUMBER}{_SCALE}B$", "1514B", "a size; bytes inside"),
]
Nanoseconds = Annotated[
    int,
    _reader(Dimension.DURATION, "20ms"),
    PlainSerializer(format_duration, when_used="json"),
    _schema(rf"{_NUMBER}(ns|us|ms|s|min|h)$", "20ms", "a duration; nanoseconds inside"),
]


def _read_ratio(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Fraction):
        return value
    quantity = read_quantity(value) if isinstance(value, str) else None
    if quantity is None or quantity.dimension not in (
        Dimension.PERCENT,
        Dimension.COUNT,
    ):
        raise PydanticCustomError("not_a_ratio", "expected a ratio such as 95% or 0.95")
    return quantity.amount


def _write_ratio(value: Fraction) -> str:
    """Print a ratio exactly: as a decimal, which every ratio in a policy was written as."""
    percent = value * 100
    digits = 0
    while percent.denominator != 1 and digits < 30:
        percent, digits = percent * 10, digits + 1
    text = str(abs(percent.numerator)).rjust(digits + 1, "0")
    sign = "-" if percent < 0 else ""
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text) + "%"


Ratio = Annotated[
    Fraction,
    BeforeValidator(_read_ratio),
    PlainSerializer(_write_ratio, when_used="json"),
    _schema(rf"{_NUMBER}%?$", "95%", "an exact ratio"),
]
