"""Make nodes of the policy from values that the passes have already checked.

Validating a node that was read from text would check everything twice, and building the
validators costs more than reading a small policy. So nodes are put together directly;
tests/passes/test_properties.py shows for generated policies that validation would change
nothing.
"""

from functools import cache
from typing import Any, TypeVar

from tcc.ir import Node

T = TypeVar("T", bound=Node)


@cache
def _defaults(kind: type[Node]) -> tuple[tuple[str, Any], ...]:
    """Return all fields in the order of the model; required ones are there to keep it."""
    return tuple(
        (name, None if field.is_required() else field.get_default())
        for name, field in kind.__pydantic_fields__.items()
    )


@cache
def _names(given: tuple[str, ...]) -> set[str]:
    """Return the set of fields given: one for all nodes alike, as no frozen node changes it."""
    return set(given)


def make(kind: type[T], /, **values: Any) -> T:  # noqa: ANN401
    """Return the node that `kind(**values)` would be; the values must be valid already."""
    node = kind.__new__(kind)
    put, get = object.__setattr__, values.get
    # One after the other, so that nodes of a kind share the table of their fields' names.
    for name, default in _defaults(kind):
        put(node, name, get(name, default))
    put(node, "__pydantic_fields_set__", _names(tuple(values)))
    put(node, "__pydantic_extra__", None)
    put(node, "__pydantic_private__", None)
    return node
