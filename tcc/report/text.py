"""Findings for people: what is wrong, the line, carets, why, and the cure.

home.tcc:4:11: error[tbf-burst-below-frame]: burst of 1000 B cannot hold a frame
  4 |     burst 1000B
    |           ^^^^^
  = wan would drop every full-size packet
"""

from collections.abc import Iterator, Mapping, Sequence

from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.report.excerpt import excerpt
from tcc.report.place import place_of, summary, where
from tcc.source import Source, Span
from tcc.visible import visible

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_COLOURS = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.NOTE: "\x1b[1;36m",
}
_CARETS = "\x1b[1;32m"


def render(found: Sequence[Diagnostic], sources: Mapping[str, Source], color: bool = False) -> str:
    """Return the findings with their lines, and how many there are; empty for none."""
    lines = [line for item in found for line in _finding(item, sources, color)]
    if found:
        lines.append(summary(found))
    return "".join(f"{line}\n" for line in lines)


def _painted(text: str, colour: str, color: bool) -> str:
    return f"{colour}{text}{_PLAIN}" if color else text


def _finding(item: Diagnostic, sources: Mapping[str, Source], color: bool) -> Iterator[str]:
    kind = _painted(f"{item.severity}[{item.code}]:", _COLOURS[item.severity], color)
    place = _painted(f"{where(item, sources)}:", _BOLD, color)
    yield f"{place} {kind} {_painted(visible(item.message), _BOLD, color)}"
    if item.span is not None:
        yield from _lines(item.span, sources, color)
    for hint in item.hints:
        yield f"  = {visible(hint)}"
    for fix in item.fixes:
        yield f"  help: {help_text(fix)}"
    for words, span in item.related:
        yield f"{place_of(span, sources)}: note: {visible(words)}"
        yield from _lines(span, sources, color)


def _lines(span: Span, sources: Mapping[str, Source], color: bool) -> Iterator[str]:
    """Yield the line that `span` is in and the carets below it."""
    source = sources.get(span.path)
    if source is None or not source.text:
        return
    number, line, carets = excerpt(source, span)
    margin = " " * len(number)
    yield f"  {number} | {line}".rstrip()
    blank = carets[: len(carets) - len(carets.lstrip())]
    yield f"  {margin} | {blank}{_painted(carets.lstrip(), _CARETS, color)}"


def help_text(fix: Fix) -> str:
    """Return what a fix does, in words."""
    words = visible(fix.description)
    if fix.text and fix.text == fix.text.strip() and fix.span.end > fix.span.start:
        words = f"replace with `{visible(fix.text)}`"
    return words if fix.safe else f"{words}, if that is what you mean"
