"""The JSON Schema of a policy, and policies as JSON.

pydantic writes optional values and alternatives as `anyOf`, where a validator can only say
that nothing fitted. Here they become `if`/`then`/`else`, so that every fault is reported at
its own place; and the options of a qdisc are those of the plugin for its kind.
"""

import ast
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from textwrap import dedent
from typing import Any

from tcc import language, plugin
from tcc.ir import Node, Options, Policy, document

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def options_models() -> dict[str, type[Options]]:
    """Return the options model of every kind of qdisc whose plugin can be loaded."""
    models: dict[str, type[Options]] = {}
    for kind in plugin.names(plugin.QDISCS):
        try:
            models[kind] = plugin.qdisc(kind).options_model
        except plugin.PluginError:
            continue
    return models


def json_schema(models: Mapping[str, type[Options]] | None = None) -> Schema:
    """Return the JSON Schema (draft 2020-12) of a policy.

    Args:
        models: the options model of each kind of qdisc; by default, of every installed one.
    """
    models = options_models() if models is None else models
    whole = document.schema(Policy)
    definitions: Schema = whole.pop("$defs")
    nodes = {node.__name__: node for node in _subclasses(Node)}
    for name, part in definitions.items():
        _describe(part, nodes[name])
    definitions.pop("Options", None)
    for kind, model in models.items():
        own = document.schema(model)
        definitions |= {
            name: part
            for name, part in own.pop("$defs", {}).items()
            if name not in definitions and name != "Options"
        }
        _describe(own, model)
        definitions[_options_name(kind)] = own
    _choose_by_kind(definitions["QdiscChoice"], list(models))
    definitions["Framing"]["properties"]["preset"]["anyOf"][0] = {"enum": [*language.FRAMINGS]}
    body = {"$schema": DIALECT, **whole, "title": "Traffic-control policy", "$defs": definitions}
    rewritten: Schema = _rewrite(body)
    return rewritten


def _subclasses(node: type[Node]) -> Iterator[type[Node]]:
    for subclass in node.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _describe(part: Schema, node: type[Node]) -> None:
    """Add the texts below the fields of a node as descriptions.

    pydantic can do that too, whenever a class is made; that would cost every command the time
    to parse its own source.
    """
    for declaring in node.__mro__:
        if not issubclass(declaring, Node):
            break
        for name, words in _texts(declaring):
            if name in part.get("properties", {}):
                part["properties"][name]["description"] = words


def _texts(node: type[Node]) -> Iterator[tuple[str, str]]:
    try:
        source = dedent(inspect.getsource(node))
    except OSError:  # made without a file
        return
    [body] = ast.parse(source).body
    assert isinstance(body, ast.ClassDef)
    for field, text in pairwise(body.body):
        match field, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(words))),
            ):
                yield name, inspect.cleandoc(words)


def _options_name(kind: str) -> str:
    return f"{kind}-options"


def _choose_by_kind(choice: Schema, kinds: Sequence[str]) -> None:
    choice["properties"]["kind"]["enum"] = ["auto", *kinds]
    choice["properties"]["options"] = {"description": "The kind's own options, in tc's words."}
    choice["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"properties": {"options": {"$ref": f"#/$defs/{_options_name(kind)}"}}},
        }
        for kind in kinds
    ] + [
        {
            "if": {"properties": {"kind": {"const": "auto"}}},
            "then": {"not": {"required": ["options"]}},
        }
    ]


def _rewrite(part: Any) -> Any:  # noqa: ANN401  (a schema nests anything)
    if isinstance(part, list):
        return [_rewrite(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept = {
        # below these the keys are names, not words of the schema
        key: {name: _rewrite(item) for name, item in value.items()}
        if key in ("properties", "$defs")
        else _rewrite(value)
        for key, value in part.items()
        if key not in ("anyOf", "title") and not (key == "default" and value is None)
    }
    if "title" in part and "$schema" in part:
        kept["title"] = part["title"]
    if "anyOf" in part:
        kept |= _alternatives([_rewrite(item) for item in part["anyOf"]], part)
    return kept


def _alternatives(items: list[Schema], part: Schema) -> Schema:
    """Turn alternatives into enum and if/then/else; null goes where it is only a default."""
    optional = "default" in part and part["default"] is None
    items = [item for item in items if not (optional and item == {"type": "null"})]
    words = [word for item in items for word in _words(item)]
    rest = [item for item in items if not _words(item)]
    if not rest:
        return {"enum": words}
    [first, *others] = rest
    if others:  # nothing in a policy has two alternatives that are not words
        return {"anyOf": items}
    if not words:
        return first
    return {"if": {"enum": words}, "else": first}


def _words(item: Schema) -> list[object]:
    if item == {"type": "null"}:
        return [None]
    return [item["const"]] if "const" in item else list(item.get("enum", ()))


def schema_text() -> str:
    """Return the schema as JSON text."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def to_json(policy: Policy) -> str:
    """Return a policy as JSON text; what has its default is left out."""
    data = {"version": policy.version, **document.plain(policy, without="defaults")}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
