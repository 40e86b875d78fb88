"""The finished policy: laid out, built, and looked at by the checks as any other."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from tcc import api
from tcc.diagnostics import Diagnostic, Severity, note, warning
from tcc.importing.found import FoundLink, Imported, Kind, Remark
from tcc.importing.text import policy_text
from tcc.source import Source, Span

NAME: Final = "imported.tcc"
_LINK = re.compile(r"^link ", re.M)
_SAID: Final = {
    "atm-beyond-adsl": "atm-on-fibre",
    "direction-contradicts": "ingress-uncharged",
    "directions-swapped": "rates-swapped",
}
"""Findings of the checks that are among the usual mistakes of what is imported."""


class Result(NamedTuple):
    """A policy and everything that there is to say about it."""

    text: str
    remarks: Sequence[Remark]
    found: Sequence[Diagnostic]


def policy_of(imported: Imported, label: str, source: Source | None = None) -> Result:
    """Return the policy, its remarks as comments.

    Found: `import-lost`, `import-suspicious`, `import-double`, at the line of the source where it
    is known.

    Args:
        imported: what was read.
        label: what it was read from, for the first line.
        source: the text that it was read from.
    """
    _add_findings(imported)
    remarks = [*imported.remarks, *(remark for link in imported.links for remark in link.remarks)]
    laid_out = api.format_text(Source(NAME, policy_text(imported, label)))
    text = laid_out if isinstance(laid_out, str) else policy_text(imported, label)
    lines = _lines(source)
    found = [_finding(remark, lines) for remark in dict.fromkeys(remarks)]
    return Result(text, remarks, found)


def _add_findings(imported: Imported) -> None:
    """Add what the checks find in the policy to the links that they find it in."""
    source = Source(NAME, policy_text(imported, "-"))
    built = api.load(source)
    starts = [match.start() for match in _LINK.finditer(source.text)]
    for item in api.lint(built):
        if item.severity is Severity.NOTE:
            continue
        what = _SAID.get(item.code, item.code)
        link = _link_at(imported, starts, item.span)
        told = {remark.what for remark in (link.remarks if link else imported.remarks)}
        if what in told:
            continue
        remark = Remark(Kind.SUSPICIOUS, what, item.message)
        (link.remarks if link else imported.remarks).append(remark)


def _link_at(imported: Imported, starts: Sequence[int], span: Span | None) -> FoundLink | None:
    if span is None or span.path != NAME:
        return None
    index = sum(1 for start in starts if start <= span.start) - 1
    return imported.links[index] if 0 <= index < len(imported.links) else None


def _finding(remark: Remark, lines: Sequence[Span]) -> Diagnostic:
    span = lines[remark.line - 1] if remark.line and remark.line <= len(lines) else None
    if remark.kind is Kind.LOST:
        return warning("import-lost", span, remark.text)
    if remark.kind is Kind.DOUBLE:
        return warning("import-double", span, remark.text)
    return note("import-suspicious", span, remark.text)


def _lines(source: Source | None) -> Sequence[Span]:
    """Return the span of each line, without the blanks around it."""
    spans: list[Span] = []
    start = 0
    if source is None:
        return spans
    for written in source.text.splitlines(keepends=True):
        begin = start + len(written) - len(written.lstrip())
        spans.append(Span(source.path, begin, max(begin + 1, start + len(written.rstrip()))))
        start += len(written)
    return spans
