"""Print findings."""

import sys
from collections.abc import Mapping, Sequence

from tcc.diagnostics import Diagnostic
from tcc.source import Source


def findings(
    found: Sequence[Diagnostic],
    sources: Mapping[str, Source],
    form: str = "text",
    color: bool | None = None,
    *,
    to_stdout: bool = False,
) -> None:
    """Print findings on standard error, or as the result on standard output.

    Args:
        found: the findings, in the order in which they are shown.
        sources: the texts that they point into.
        form: text, concise, json, sarif, github or junit.
        color: True, False, or None to ask the terminal.
        to_stdout: whether the findings are what was asked for.
    """
    stream = sys.stdout if to_stdout else sys.stderr
    for item in found:
        place = item.span.path if item.span else ""
        if item.span and item.span.path in sources:
            line, column = sources[item.span.path].position(item.span.start)
            place += f":{line}:{column}"
        stream.write(f"{place}: {item.severity}[{item.code}]: {item.message}\n")
