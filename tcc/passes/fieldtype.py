"""What an option of a qdisc plugin may be, from the annotation of its field."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from tcc.ir import Options, QdiscChoice
from tcc.ir.base import Unit
from tcc.units import Dimension


class FieldType(NamedTuple):
    """The kinds of value that one field takes."""

    dimensions: tuple[Dimension, ...] = ()
    """COUNT for bare whole numbers, PERCENT for ratios."""
    words: tuple[str, ...] = ()
    truth: bool = False
    text: bool = False
    qdisc: bool = False

    @property
    def what(self) -> str:
        """The kinds in words, for messages."""
        names = [f"a {dimension}" for dimension in self.dimensions]
        names += [f"`{word}`" for word in (*self.words, *(("on", "off") if self.truth else ()))]
        names += ["a text"] if self.text else []
        names += ["a kind of qdisc"] if self.qdisc else []
        return " or ".join(names)


_KNOWN: dict[type[Options], dict[str, FieldType]] = {}


def field_types(model: type[Options]) -> dict[str, FieldType]:
    """Return what each field of an options model takes."""
    if model not in _KNOWN:
        hints = get_type_hints(model, include_extras=True)
        _KNOWN[model] = {name: _merge(_kinds(hints[name])) for name in model.__dataclass_fields__}
    return _KNOWN[model]


def _kinds(hint: Any) -> list[FieldType]:  # noqa: ANN401  (any annotation there is)
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return [kind for part in get_args(hint) for kind in _kinds(part)]
    if origin is Literal:
        return [FieldType(words=tuple(str(word) for word in get_args(hint)))]
    if origin is Annotated:
        inner, *notes = get_args(hint)
        for note in notes:
            if isinstance(note, Unit):
                return [FieldType(dimensions=note.dimensions[:1])]
        return _kinds(inner)
    if hint is NoneType:
        return []
    return [
        FieldType(
            dimensions=(Dimension.COUNT,) if hint is int else (),
            truth=hint is bool,
            text=hint is str,
            qdisc=hint is QdiscChoice,
        )
    ]


def _merge(kinds: list[FieldType]) -> FieldType:
    return FieldType(
        tuple(dimension for kind in kinds for dimension in kind.dimensions),
        tuple(word for kind in kinds for word in kind.words),
        any(kind.truth for kind in kinds),
        any(kind.text for kind in kinds),
        any(kind.qdisc for kind in kinds),
    )
