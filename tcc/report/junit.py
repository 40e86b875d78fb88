"""Findings as JUnit XML, for build servers: a test case for each finding.

Errors and warnings are failures; notes pass, with their text as output. A file without
findings is one case that passes.
"""

from collections.abc import Iterator, Mapping, Sequence

from tcc.diagnostics import Diagnostic, Severity
from tcc.report.place import place_of, where
from tcc.report.text import help_text
from tcc.source import Source
from tcc.visible import visible


def render(found: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """Return a document with one suite."""
    hit = {_file(item, sources) for item in found}
    clean = [path for path in sources if path not in hit]
    failures = sum(item.severity > Severity.NOTE for item in found)
    counts = f'tests="{len(found) + len(clean)}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="tcc" {counts}>',
        f'  <testsuite name="tcc lint" {counts} skipped="0">',
        *(f'    <testcase classname="{xml(path)}" name="lint" />' for path in clean),
        *(line for item in found for line in _case(item, sources)),
        "  </testsuite>",
        "</testsuites>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _file(item: Diagnostic, sources: Mapping[str, Source]) -> str:
    return place_of(item.span, sources).file


def _case(item: Diagnostic, sources: Mapping[str, Source]) -> Iterator[str]:
    """Yield the lines of one case."""
    place = place_of(item.span, sources)
    line = f' line="{place.start.line}"' if place.start else ""
    at = where(item, sources)
    names = f'classname="{xml(place.file)}" name="{xml(f"{item.code} at {at}")}"'
    yield f'    <testcase {names} file="{xml(place.file)}"{line}>'
    helps = [f"help: {help_text(fix)}" for fix in item.fixes]
    body = "\n".join(xml(text) for text in (f"{at}: {item.message}", *item.hints, *helps))
    if item.severity is Severity.NOTE:
        yield f"      <system-out>{body}</system-out>"
    else:
        kind = f'type="{item.severity}" message="{xml(item.message)}"'
        yield f"      <failure {kind}>{body}</failure>"
    yield "    </testcase>"


def xml(text: str) -> str:
    """Escape text for XML, which has no way to write most control characters."""
    safe = visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
    return (
        safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )
