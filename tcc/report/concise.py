"""Findings one a line, for editors and grep: `file:line:column: severity[code]: message`."""

from collections.abc import Mapping, Sequence

from tcc.diagnostics import Diagnostic
from tcc.report.place import where
from tcc.source import Source
from tcc.visible import visible


def render(found: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """Return a line for each finding."""
    return "".join(
        f"{where(item, sources)}: {item.severity}[{item.code}]: {visible(item.message)}\n"
        for item in found
    )
