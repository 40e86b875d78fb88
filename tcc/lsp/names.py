"""Names that a policy defines: where, where they are used, and how to call them otherwise."""

import re
from collections.abc import Iterator

from tcc import language
from tcc.lsp.document import Document
from tcc.passes import Definition, Kind
from tcc.source import Span

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*")
_SUBJECTS = (Kind.TIER, Kind.PART, Kind.WORKLOAD)
_VALUES = (Kind.LET, Kind.PARAM)


def at(document: Document, offset: int) -> tuple[Definition, Span] | None:
    """Return the definition that a place is about, and the word there."""
    path = document.source.path
    for definition in document.built.names:
        for span in occurrences(definition):
            if span.path == path and span.start <= offset <= span.end:
                return definition, span
    return None


def occurrences(definition: Definition) -> Iterator[Span]:
    """Yield where a name is defined, then its uses, each once."""
    yield from dict.fromkeys((definition.span, *definition.uses))


def refusal(document: Document, definition: Definition, name: str) -> str:
    """Return why a name cannot be given to something; empty when it can."""
    if not _NAME.fullmatch(name):
        return f"`{name}` is no name: letters, digits, _ and hyphens inside, a letter first"
    if definition.kind in _VALUES and name in language.RESERVED_VALUES:
        return f"`{name}` is a word that clauses take as a value"
    if definition.kind in _SUBJECTS and name in language.RESERVED_SUBJECTS:
        return f"`{name}` means something else to `require`"
    if definition.kind is Kind.WORKLOAD and name in language.PREDEFINED_WORKLOADS:
        return f"`{name}` is a predefined workload"
    tin = definition.kind is Kind.TIER and definition.name in language.TINS
    if tin and definition.span.end == _end_of_name(document, definition):
        return f"the tier `{definition.name}` has its tin by its name: write `as {definition.name}`"
    kinds = _VALUES if definition.kind in _VALUES else (definition.kind,)
    for other in document.built.names:
        if other.kind in kinds and other.name == name and other.owner == definition.owner:
            return f"there is a {other.kind} `{name}` already"
    return ""


def _end_of_name(document: Document, definition: Definition) -> int:
    """Return where the name ends, unless `as TIN` follows it: then -1."""
    source = document.built.sources.get(definition.span.path)
    behind = source.text[definition.span.end :] if source else ""
    return -1 if re.match(r"\s+as\b", behind) else definition.span.end
