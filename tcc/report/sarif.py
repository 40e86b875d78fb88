"""Findings as SARIF 2.1.0 (OASIS), for code scanning.

Fingerprints are of the code, the file and the text of the line, so that a finding keeps its
identity when lines above it come and go.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import tcc
from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.report.place import place_of
from tcc.source import Source, Span
from tcc.visible import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0-rtm.5.json"

_Json = dict[str, Any]


def render(found: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """Return a SARIF log with one run, ASCII only, with a line end."""
    codes = list(dict.fromkeys(item.code for item in found))
    seen: Counter[str] = Counter()
    driver = {
        "name": "tcc",
        "semanticVersion": tcc.__version__,
        "rules": [_rule(code, found) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": _artifact(path)} for path in sources],
        "results": [_result(item, codes, sources, seen) for item in found],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _level(severity: Severity) -> str:
    return str(severity)  # error, warning and note are SARIF's own words


def _rule(code: str, found: Sequence[Diagnostic]) -> _Json:
    """Return what is known of a rule without its page, which `tcc explain` prints."""
    severity = max(item.severity for item in found if item.code == code)
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in code.split("-")),
        "shortDescription": {"text": code.replace("-", " ").capitalize()},
        "help": {"text": f"Run `tcc explain {code}`."},
        "defaultConfiguration": {"level": _level(severity)},
    }


def _result(
    item: Diagnostic, codes: list[str], sources: Mapping[str, Source], seen: Counter[str]
) -> _Json:
    text = ". ".join([item.message, *item.hints]) if item.hints else item.message
    result: _Json = {
        "ruleId": item.code,
        "ruleIndex": codes.index(item.code),
        "level": _level(item.severity),
        "message": {"text": visible(text)},
        "locations": [_location(item.span, sources, item.path)],
        "partialFingerprints": {"tccFinding/v1": _fingerprint(item, sources, seen)},
    }
    if item.related:
        result["relatedLocations"] = [
            {**_location(span, sources), "message": {"text": visible(words)}}
            for words, span in item.related
        ]
    if item.fixes:
        result["fixes"] = [_fix(fix, sources) for fix in item.fixes]
    return result


def _artifact(path: str) -> _Json:
    pure = PurePath(path)
    name = quote(pure.as_posix().encode("utf-8", "surrogateescape"))
    return {"uri": f"file://{name}"} if pure.is_absolute() else {"uri": name}


def _region(span: Span, sources: Mapping[str, Source]) -> _Json | None:
    place = place_of(span, sources)
    if place.start is None or place.end is None:
        return None
    return {
        "startLine": place.start.line,
        "startColumn": place.start.column,
        "endLine": place.end.line,
        "endColumn": place.end.column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }


def _location(span: Span | None, sources: Mapping[str, Source], path: str | None = None) -> _Json:
    """Return where a finding is; a JSON path is a logical location."""
    place = place_of(span, sources)
    physical: _Json = {"artifactLocation": _artifact(place.file)}
    region = _region(span, sources) if span is not None else None
    if region:
        physical["region"] = region
    location: _Json = {"physicalLocation": physical}
    if path is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": path, "kind": "element"}]
    return location


def _fix(fix: Fix, sources: Mapping[str, Source]) -> _Json:
    deleted = _region(fix.span, sources) or {"charOffset": fix.span.start, "charLength": 0}
    replacement = {"deletedRegion": deleted, "insertedContent": {"text": fix.text}}
    change = {
        "artifactLocation": _artifact(fix.span.path),
        "replacements": [replacement],
    }
    return {"description": {"text": visible(fix.description)}, "artifactChanges": [change]}


def _fingerprint(item: Diagnostic, sources: Mapping[str, Source], seen: Counter[str]) -> str:
    """Return a name for a finding that a change elsewhere in the file leaves alone."""
    place = place_of(item.span, sources)
    line = item.path or ""
    if place.start is not None:
        line = sources[place.file].line(place.start.line).strip()
    text = "\0".join((item.code, place.file, line))
    seen[text] += 1
    return sha256(f"{text}\0{seen[text]}".encode("utf-8", "surrogateescape")).hexdigest()[:32]
