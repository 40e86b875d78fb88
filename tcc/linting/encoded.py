"""Findings as JSON values, for the cache and between processes."""

from typing import Any

from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.source import Span

Encoded = list[Any]


def encode(item: Diagnostic) -> Encoded:
    """Return a finding as a list of JSON values."""
    return [
        item.code,
        int(item.severity),
        item.message,
        _place(item.span),
        item.path,
        list(item.hints),
        [[fix.description, _place(fix.span), fix.text, fix.safe] for fix in item.fixes],
        [[words, _place(span)] for words, span in item.related],
    ]


def decode(value: Encoded) -> Diagnostic:
    """Return the finding again.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    code, severity, message, place, path, hints, fixes, related = value
    return Diagnostic(
        code,
        Severity(severity),
        message,
        _span(place) if place is not None else None,
        path,
        tuple(hints),
        tuple(Fix(words, _span(at), text, safe) for words, at, text, safe in fixes),
        tuple((words, _span(at)) for words, at in related),
    )


def _place(span: Span | None) -> list[str | int] | None:
    return None if span is None else [span.path, span.start, span.end]


def _span(place: list[Any]) -> Span:
    path, start, end = place
    return Span(path, start, end)
