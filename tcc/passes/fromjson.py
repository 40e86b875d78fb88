"""A policy as JSON: text -> data -> checked against the schema -> the same `Built`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from tcc.diagnostics import Diagnostic, Severity, has_errors
from tcc.ir import Options, Path, Policy, document
from tcc.passes.built import Built
from tcc.passes.context import close_to, listed
from tcc.passes.jsontext import JsonError, JsonText, json_path
from tcc.passes.whole import check_whole
from tcc.schema import Schema, json_schema, options_models
from tcc.source import Source, Span

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def build_json(source: Source) -> Built:
    """Take a policy in JSON to a policy.

    Codes: json-malformed, json-unknown-name, json-missing, json-value, and those of
    `check_whole`.
    """
    text = JsonText(source)
    try:
        data = text.read()
    except JsonError as problem:
        span = Span(source.path, problem.offset, problem.offset + 1)
        return _built(source, text, None, [_error("json-malformed", span, (), str(problem))])
    found = list(_schema_errors(data, text))
    policy = None
    if not found:
        policy, found = _validated(data, text)
    if policy is not None:
        found = [_placed(item, text) for item in check_whole(policy, text.spans)]
    return _built(source, text, policy, found)


def _built(source: Source, text: JsonText, policy: Policy | None, found: list[Diagnostic]) -> Built:
    spans = {path: span for path, span in text.spans.items() if path[-1:] != (JsonText.KEY,)}
    found.sort(key=lambda item: item.span.start if item.span else 0)
    return Built(
        None if has_errors(found) else policy,
        spans,
        frozenset(),
        (),
        {source.path: source},
        (),
        (),
        tuple(found),
    )


def _error(
    code: str, span: Span | None, path: Path, message: str, hints: Iterable[str] = ()
) -> Diagnostic:
    kept = tuple(hint for hint in hints if hint)
    return Diagnostic(code, Severity.ERROR, message, span, json_path(path), kept)


def _placed(item: Diagnostic, text: JsonText) -> Diagnostic:
    """Give a finding the JSON path of the place it points at."""
    for path, span in text.spans.items():
        if span == item.span and path[-1:] != (JsonText.KEY,):
            return replace(item, path=json_path(path))
    return item


@cache
def _schema() -> Schema:
    return json_schema()


@cache
def _options_models() -> dict[str, type[Options]]:
    return options_models()


def _schema_errors(data: object, text: JsonText) -> Iterator[Diagnostic]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415  (slow to import)

    for problem in Draft202012Validator(_schema()).iter_errors(data):
        yield from _explain(problem, text)


def _explain(problem: "ValidationError", text: JsonText) -> Iterator[Diagnostic]:
    path: Path = tuple(problem.absolute_path)
    span = text.spans.get(path)
    rule, value = str(problem.validator), problem.instance
    part = problem.schema if isinstance(problem.schema, Mapping) else {}
    if rule == "additionalProperties":
        known = list(part.get("properties", ()))
        for name in sorted(set(value) - set(known)) if isinstance(value, dict) else ():
            yield _error(
                "json-unknown-name",
                text.spans.get((*path, name, JsonText.KEY)),
                (*path, name),
                f"`{name}` is not known here",
                (close_to(name, known), f"there are {listed(known)}"),
            )
    elif rule == "required":
        missing = re.search(r"'(.*?)' is a required", problem.message)
        name = missing[1] if missing else "?"
        yield _error("json-missing", _opening(span), path, f"`{name}` is missing here")
    else:
        message = _message(rule, part.get(rule), value, part) or problem.message
        yield _error("json-value", span, path, message)


def _opening(span: Span | None) -> Span | None:
    return span.between(span.start, span.start + 1) if span else None


def _message(rule: str, wanted: Any, value: Any, part: Mapping[str, Any]) -> str:  # noqa: ANN401
    """Say what is wrong in the language's own words; empty when there are none for it."""
    match rule:
        case "enum":
            words = [word for word in wanted if isinstance(word, str)]
            near = close_to(value, words) if isinstance(value, str) else ""
            return f"expected one of {listed(words)}" + (f"; {near}" if near else "")
        case "pattern" | "type" if "examples" in part and "description" in part:
            what = part["description"].partition(";")[0]
            return f"expected {what} with its unit, such as `{part['examples'][0]}`"
        case "pattern" if "description" in part:
            what = str(part["description"])
            return f"expected {what[:1].lower()}{what[1:].rstrip('.')}"
        case "type":
            return f"expected {_TYPES.get(str(wanted), wanted)}"
        case "not":
            return "`auto` takes no options: name the kind whose options these are"
        case "minimum" | "exclusiveMinimum":
            return f"{value} is too little: at least {wanted}"
        case "maximum" | "exclusiveMaximum":
            return f"{value} is too much: at most {wanted}"
    return ""


_TYPES = {
    "object": "an object", "array": "an array", "string": "a string", "integer": "a whole number",
    "boolean": "true or false", "number": "a number", "null": "null",
}  # fmt: skip


def _validated(data: object, text: JsonText) -> tuple[Policy | None, list[Diagnostic]]:
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        return document.read(Policy, data, {"qdiscs": _options_models()}), []
    except ValidationError as problem:
        return None, [
            _error(
                "json-value",
                *_nearest(tuple(item["loc"]), text),
                item["msg"].removeprefix("Value error, "),
            )
            for item in problem.errors(include_url=False)
        ]


def _nearest(path: Path, text: JsonText) -> tuple[Span | None, Path]:
    """Return the longest part of a path that is a place in the text."""
    while path and path not in text.spans:
        path = path[:-1]
    return text.spans.get(path), path
