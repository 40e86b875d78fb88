"""What can be done about findings: their fixes, all safe ones at once, or a waiver."""

import os
from collections.abc import Iterable, Iterator

from lsprotocol.types import CodeAction, CodeActionKind, Diagnostic, TextEdit, WorkspaceEdit

from tcc import diagnostics
from tcc.diagnostics import Fix, Severity
from tcc.lsp.document import Document
from tcc.lsp.places import Places, uri_of
from tcc.source import Span

ALL = "source.fixAll.tcc"


def edits(places: Places, fixes: Iterable[Fix]) -> WorkspaceEdit:
    """Return the changes of some fixes."""
    changes: dict[str, list[TextEdit]] = {}
    for fix in fixes:
        change = TextEdit(places.range(fix.span), fix.text)
        changes.setdefault(uri_of(fix.span.path), []).append(change)
    return WorkspaceEdit(changes=changes)


def actions(
    document: Document, places: Places, at: Span, told: Iterable[Diagnostic]
) -> Iterator[CodeAction]:
    """Yield what can be done about the findings that touch a span.

    Args:
        document: the policy.
        places: turns spans into ranges.
        at: where the editor asks.
        told: the findings as the editor has them, to say which one an action mends.
    """
    by = {(item.code, item.range.start.line): item for item in told}
    for item in document.own:
        if item.span is None or item.span.start > at.end or item.span.end < at.start:
            continue
        line = places.position(item.span.path, item.span.start).line
        mended = [by[item.code, line]] if (item.code, line) in by else []
        for fix in item.fixes:
            yield CodeAction(
                title=fix.description[:1].upper() + fix.description[1:],
                kind=CodeActionKind.QuickFix,
                diagnostics=mended,
                is_preferred=fix.safe,
                edit=edits(places, [fix]),
            )
        if item.severity is Severity.WARNING:
            yield CodeAction(
                title=f"Allow {item.code} here, with a reason",
                kind=CodeActionKind.QuickFix,
                diagnostics=mended,
                edit=edits(places, [waiver(document, item)]),
            )


def all_safe(document: Document, places: Places) -> CodeAction | None:
    """Return the safe fixes as one action; of two that overlap, the first."""
    chosen: list[Fix] = []
    fixes = {fix for item in document.own for fix in item.fixes if fix.safe}
    for fix in sorted(fixes, key=lambda fix: (fix.span.start, fix.span.end)):
        if not chosen or fix.span.start >= chosen[-1].span.end:
            chosen.append(fix)
    if not chosen:
        return None
    return CodeAction(title="Mend all that is safe", kind=ALL, edit=edits(places, chosen))


def waiver(document: Document, item: diagnostics.Diagnostic) -> Fix:
    """Return the insertion of a comment above the line of a finding.

    The reason is left to whoever allows it: `waiver-without-reason` asks until there is one.
    """
    assert item.span is not None
    text = document.source.text
    start = text.rfind("\n", 0, item.span.start) + 1
    line = text[start : item.span.start]
    indent = line[: len(line) - len(line.lstrip())]
    end = "\r\n" if os.linesep == "\r\n" or "\r\n" in text else "\n"
    words = f"{indent}# tcc: allow {item.code} because {end}"
    return Fix("allow it, and say why", Span(item.span.path, start, start), words, safe=False)
