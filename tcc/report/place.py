"""Where a finding is: the words before its message, in every format the same."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tcc.diagnostics import Diagnostic
from tcc.source import Position, Source, Span
from tcc.visible import visible


class Place(NamedTuple):
    """A file, and the first and last position in it when it could be read."""

    file: str
    start: Position | None = None
    end: Position | None = None

    def __str__(self) -> str:
        """Return `file:line:column`."""
        if self.start is None:
            return visible(self.file)
        return f"{visible(self.file)}:{self.start.line}:{self.start.column}"


def place_of(span: Span | None, sources: Mapping[str, Source]) -> Place:
    """Return the place of a span; with no span, the one file that there is."""
    if span is None:
        return Place(next(iter(sources)) if len(sources) == 1 else "policy")
    source = sources.get(span.path)
    if source is None:
        return Place(span.path)
    return Place(span.path, source.position(span.start), source.position(span.end))


def where(found: Diagnostic, sources: Mapping[str, Source]) -> str:
    """Return the place of a finding, with its JSON path when it has one."""
    place = place_of(found.span, sources)
    if found.path is None:
        return str(place)
    if place.start is None:
        return f"{visible(place.file)}: {visible(found.path)}"
    return f"{place}: {visible(found.path)}"


def summary(found: Sequence[Diagnostic]) -> str:
    """Return `2 errors, 1 warning`; empty when nothing was found."""
    counts = Counter(item.severity for item in found)
    parts = [
        f"{counts[severity]} {severity}{'s' if counts[severity] > 1 else ''}"
        for severity in sorted(counts, reverse=True)
    ]
    return ", ".join(parts)
