"""Findings as workflow commands, which GitHub shows beside the lines of a change."""

from collections.abc import Mapping, Sequence

from tcc.diagnostics import Diagnostic, Severity
from tcc.report.place import place_of
from tcc.report.text import help_text
from tcc.source import Source
from tcc.visible import visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(found: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """Return a command for each finding."""
    return "".join(f"{_command(item, sources)}\n" for item in found)


def _command(item: Diagnostic, sources: Mapping[str, Source]) -> str:
    place = place_of(item.span, sources)
    properties = {"file": place.file}
    if place.start is not None and place.end is not None:
        properties["line"] = str(place.start.line)
        properties["endLine"] = str(place.end.line)
        if place.start.line == place.end.line:  # columns of several lines are refused
            properties["col"] = str(place.start.column)
            properties["endColumn"] = str(place.end.column)
    properties["title"] = item.code
    message = item.message if item.path is None else f"{item.path}: {item.message}"
    helps = [f"help: {help_text(fix)}" for fix in item.fixes]
    lines = [visible(line) for line in (message, *item.hints, *helps)]
    settings = ",".join(f"{name}={property_text(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[item.severity]} {settings}::{data(chr(10).join(lines))}"


def data(text: str) -> str:
    """Escape the text of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_text(text: str) -> str:
    """Escape the value of a property of a command."""
    escaped = data(text).replace(":", "%3A").replace(",", "%2C")
    return visible(escaped)
