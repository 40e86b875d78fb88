"""What every node of the policy shares, and the integer types with their units.

Nodes are frozen dataclasses. Where a node was written is not part of it: spans live in a
side table keyed by path, so that equal policies are equal wherever they were read from.
A pass makes nodes of values that it has checked; pydantic reads them from JSON, refusing
unknown fields (`tcc.ir.document`), and is imported only then: it takes longer than a lint.
In JSON every quantity is a string with its unit (`"95mbit"`, `"20ms"`), because a bare
number is a mistake waiting to happen; in Python it is an integer.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, cast, dataclass_transform

from tcc.source import Span
from tcc.units import (
    Dimension,
    format_duration,
    format_rate,
    format_size,
    read_quantity,
    whole,
)

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

Path = tuple[str | int, ...]
Spans = Mapping[Path, Span]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Node:
    """A part of a policy: immutable, comparable by value; a subclass declares its fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __pydantic_config__: ClassVar = {"extra": "forbid"}

    def __init_subclass__(cls) -> None:
        """Make a dataclass of the subclass."""
        dataclass(frozen=True, kw_only=True)(cls)


class Options(Node):
    """Base of the options that a qdisc plugin declares for its kind."""


def span_at(spans: Spans, path: Path) -> Span | None:
    """Return the span of `path`, or of the nearest enclosing thing that has one."""
    for end in range(len(path), -1, -1):
        if (span := spans.get(path[:end])) is not None:
            return span
    return None


class Between(NamedTuple):
    """Bounds of an integer in JSON: at least `low`, at most `high`."""

    low: int
    high: int | None = None

    def __get_pydantic_core_schema__(
        self,
        source: object,
        handler: "GetCoreSchemaHandler",
    ) -> "CoreSchema":
        """Add the bounds to what pydantic makes of the type."""
        bounds = {"ge": self.low} | ({} if self.high is None else {"le": self.high})
        return cast("CoreSchema", {**handler(source), **bounds})


class Spelling(NamedTuple):
    """A regular expression that a text in JSON must match."""

    pattern: str

    def __get_pydantic_core_schema__(
        self,
        source: object,
        handler: "GetCoreSchemaHandler",
    ) -> "CoreSchema":
        """Add the expression to what pydantic makes of the type."""
        return cast("CoreSchema", {**handler(source), "pattern": self.pattern})


class Unit(NamedTuple):
    """What a number is an amount of, and how JSON says it."""

    dimensions: tuple[Dimension, ...]
    """The first is what an amount is of; text may say it in the others, too."""
    number: type[int] | type[Fraction]
    """What it is in Python."""
    pattern: str
    example: str
    expected: str
    """What a reader should have written, for messages."""
    what: str
    write: Callable[[Any], str]

    def read(self, value: object) -> object:
        """Return an amount that JSON says, or Python has already.

        Raises:
            PydanticCustomError: it is none of this dimension with its unit.
        """
        if isinstance(value, self.number) and not isinstance(value, bool):
            return value
        quantity = read_quantity(value) if isinstance(value, str) else None
        if quantity is None or quantity.dimension not in self.dimensions:
            from pydantic_core import PydanticCustomError  # noqa: PLC0415

            raise PydanticCustomError("unit", "expected {what}", {"what": self.expected})
        return whole(quantity.amount) if self.number is int else quantity.amount

    def __get_pydantic_core_schema__(
        self,
        source: object,
        handler: "GetCoreSchemaHandler",
    ) -> "CoreSchema":
        """Read and write amounts as JSON says them."""
        from pydantic_core import core_schema  # noqa: PLC0415

        return core_schema.no_info_before_validator_function(
            self.read,
            handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(
                self.write, when_used="json"
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: "CoreSchema", handler: "GetJsonSchemaHandler"
    ) -> dict[str, Any]:
        """Return the schema of the text."""
        return {
            "type": "string",
            "pattern": self.pattern,
            "examples": [self.example],
            "description": self.what,
        }


def _write_ratio(value: Fraction) -> str:
    """Print a ratio exactly: as a decimal, which every ratio in a policy was written as."""
    percent = value * 100
    digits = 0
    while percent.denominator != 1 and digits < 30:
        percent, digits = percent * 10, digits + 1
    text = str(abs(percent.numerator)).rjust(digits + 1, "0")
    sign = "-" if percent < 0 else ""
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text) + "%"


_NUMBER = r"^-?[0-9]+(\.[0-9]+)?"
_SCALE = "([kmgtKMGT]i?)?"

BitRate = Annotated[
    int,
    Unit(
        (Dimension.RATE,), int, rf"{_NUMBER}{_SCALE}([bB][iI][tT]|B/s)$", "100mbit",
        "a rate with its unit, such as 100mbit", "a rate; bit/s inside", format_rate,
    ),
]  # fmt: skip
Bytes = Annotated[
    int,
    Unit(
        (Dimension.SIZE,), int, rf"{_NUMBER}{_SCALE}B$", "1514B",
        "a size with its unit, such as 1514B", "a size; bytes inside", format_size,
    ),
]  # fmt: skip
Nanoseconds = Annotated[
    int,
    Unit(
        (Dimension.DURATION,), int, rf"{_NUMBER}(ns|us|ms|s|min|h)$", "20ms",
        "a duration with its unit, such as 20ms", "a duration; nanoseconds inside",
        format_duration,
    ),
]  # fmt: skip
Ratio = Annotated[
    Fraction,
    Unit(
        (Dimension.PERCENT, Dimension.COUNT), Fraction, rf"{_NUMBER}%?$", "95%",
        "a ratio such as 95% or 0.95", "an exact ratio", _write_ratio,
    ),
]  # fmt: skip
