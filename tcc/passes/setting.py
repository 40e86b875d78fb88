"""What one clause of a link, a profile or a direction says, wherever it ends up."""

from typing import NamedTuple

from tcc.ir import Path
from tcc.source import Span


class Setting(NamedTuple):
    """One field's value with the places of its parts, relative to the field."""

    value: object | None
    """None when it is wrong, or depends on a parameter without a value."""
    span: Span
    """The operands: what a message about the value points at."""
    places: tuple[tuple[Path, Span], ...] = ()
    unknown: tuple[Path, ...] = ()
    prefer: bool = False
    clause: Span | None = None
    """The clause's word, for messages about clauses given twice."""
