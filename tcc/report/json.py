"""Findings as one JSON document, for programs.

The document says its `version`; a change that could break a reader raises it. Lines and
columns count from 1, columns and offsets in characters; `end` is behind the last one.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tcc.diagnostics import Diagnostic, Severity
from tcc.report.place import place_of
from tcc.source import Source, Span

VERSION = 1


def render(found: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """Return the document, ASCII only, with a line end."""
    document = {
        "version": VERSION,
        "files": list(sources),
        "summary": {
            f"{severity}s": sum(item.severity is severity for item in found)
            for severity in sorted(Severity, reverse=True)
        },
        "diagnostics": [_diagnostic(item, sources) for item in found],
    }
    return json.dumps(document, indent=2) + "\n"


def _diagnostic(item: Diagnostic, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {
        "code": item.code,
        "severity": str(item.severity),
        "message": item.message,
        **_location(item.span, sources),
        "path": item.path,
        "hints": list(item.hints),
        "fixes": [
            {
                "description": fix.description,
                "safe": fix.safe,
                **_location(fix.span, sources),
                "text": fix.text,
            }
            for fix in item.fixes
        ],
        "related": [{"message": words, **_location(span, sources)} for words, span in item.related],
    }


def _location(span: Span | None, sources: Mapping[str, Source]) -> dict[str, Any]:
    """Return the file and the span; the span is null where there is no text to show."""
    place = place_of(span, sources)
    if span is None or place.start is None or place.end is None:
        return {"file": place.file, "span": None}
    start = {"offset": span.start, **place.start._asdict()}
    end = {"offset": span.end, **place.end._asdict()}
    return {"file": place.file, "span": {"start": start, "end": end}}
