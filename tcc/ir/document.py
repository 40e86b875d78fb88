"""Nodes as JSON, by pydantic: read with every fault found at once, written, described."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tcc.ir.base import Node

if TYPE_CHECKING:
    from pydantic import SerializationInfo, TypeAdapter

T = TypeVar("T", bound=Node)


_ADAPTERS: "dict[type[Node], TypeAdapter[Any]]" = {}


def _adapter(kind: type[Node]) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # noqa: PLC0415  (takes longer than a lint)

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def read(kind: type[T], data: object, context: Mapping[str, object] | None = None) -> T:
    """Return a node from plain data, or from values as Python has them.

    Raises:
        pydantic.ValidationError: what does not fit, each with its place.
    """
    return cast("T", _adapter(kind).validate_python(data, context=dict(context or {})))


def read_text(kind: type[T], text: str) -> T:
    """Return a node from JSON text; raises what `read` raises."""
    return cast("T", _adapter(kind).validate_json(text))


def plain(node: Node, *, without: str = "") -> dict[str, Any]:
    """Return a node as plain data. `without`: leave out `defaults`, or what is `none`."""
    made: dict[str, Any] = _adapter(type(node)).dump_python(
        node, mode="json", exclude_defaults=without == "defaults", exclude_none=without == "none"
    )
    return made


def nested(node: Node, how: "SerializationInfo") -> dict[str, Any]:
    """Return a node inside another as plain data, written as the outer one is."""
    made: dict[str, Any] = _adapter(type(node)).dump_python(
        node,
        mode="json" if how.mode == "json" else "python",
        exclude_defaults=how.exclude_defaults,
        exclude_none=how.exclude_none,
    )
    return made


def text(node: Node, indent: int | None = None) -> str:
    """Return a node as JSON text."""
    return _adapter(type(node)).dump_json(node, indent=indent).decode()


def schema(kind: type[Node]) -> dict[str, Any]:
    """Return pydantic's JSON Schema of a node; what it is made of is in `$defs`."""
    return _adapter(kind).json_schema(ref_template="#/$defs/{model}")
