"""What a word means, and what a clause becomes on each system."""

from collections.abc import Iterable, Iterator

from tcc import api, language
from tcc.explained import EXPLAINERS
from tcc.lsp import names
from tcc.lsp.blocks import block_of, entries
from tcc.lsp.document import Document
from tcc.plugin import BACKENDS, Expressed, PluginError
from tcc.plugin import names as plugin_names
from tcc.source import Span
from tcc.syntax.tree import Binary, Call, Clause, Group, Many, Operand, Word

SHAPERS = ("link", "profile")


def hover(document: Document, offset: int) -> tuple[str, Span] | None:
    """Return Markdown about the word at a place, and the word; None where there is nothing."""
    place = document.at(offset)
    if place is None:
        return None
    clause, outer = place
    if _holds(clause.word.span, offset):
        parts = [_clause(clause, outer), *becomes(document, clause, outer)]
        span = clause.word.span
    else:
        word = next((one for one in _words(clause.operands) if _holds(one.span, offset)), None)
        if word is None:
            return None
        span = word.span
        parts = [*_name(document, offset), *_value(word.text)]
        parts += becomes(document, clause, outer)
    text = "\n\n".join(part for part in parts if part)
    return (text, span) if text else None


def _holds(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


def _words(operands: tuple[Operand, ...]) -> Iterator[Word]:
    for operand in operands:
        match operand:
            case Word():
                yield operand
            case Binary():
                yield from _words((operand.left, operand.right))
            case Group():
                yield from _words((operand.inner,))
            case Call():
                yield from _words(operand.arguments)
            case Many():
                yield from _words(operand.items)


def _clause(clause: Clause, outer: tuple[Clause, ...]) -> str:
    entry = entries(block_of(outer)).get(clause.word.text)
    if entry is None:
        return ""
    return f"**{clause.word.text}**: {entry.summary}\n\n```\n{entry.syntax}\n```"


def _name(document: Document, offset: int) -> Iterator[str]:
    """Yield how a name is defined, as it is written."""
    found = names.at(document, offset)
    if found is None:
        return
    definition, _ = found
    source = document.built.sources.get(definition.span.path)
    if definition.clause is None or source is None:
        yield f"the {definition.kind} `{definition.name}`"
        return
    text = source.text[definition.clause.span.start : definition.clause.span.end]
    head = text.partition("{")[0].strip() + (" { ... }" if "{" in text else "")
    yield f"```tcc\n{head}\n```"


def _value(word: str) -> Iterator[str]:
    """Yield what is known of a word that is no clause: a preset, a DSCP, a metric, a qdisc."""
    for explain in EXPLAINERS:
        if explain.__name__ != "clauses":
            yield from (_lighter(page) for page in explain(word))


def _lighter(page: str) -> str:
    """Return a page with its title in bold, and tables as they are written."""
    title, _, rest = page.partition("\n")
    title = title.removeprefix("# ")
    rest = rest.strip()
    return f"**{title}**\n\n```\n{rest}\n```" if rest else f"**{title}**"


def becomes(document: Document, clause: Clause, outer: tuple[Clause, ...]) -> Iterator[str]:
    """Yield a table of what a clause of a link becomes on each system that knows it."""
    if not outer or outer[0].word.text not in SHAPERS or document.built.policy is None:
        return
    if clause.block is not None and clause.word.text in language.DIRECTIONS:
        return  # what is inside says it
    rows: list[str] = []
    for name in plugin_names(BACKENDS):
        try:
            expressed = api.express(document.built, name, document.settings.facts)
        except (PluginError, KeyError):
            continue
        rows += [_row(name, row) for row in _about(expressed, clause.span)]
    if rows:
        yield "| system | where | becomes |\n|---|---|---|\n" + "\n".join(dict.fromkeys(rows))


def _about(rows: Iterable[Expressed], span: Span) -> Iterator[Expressed]:
    for row in rows:
        at = row.span
        if at is not None and at.path == span.path and span.start <= at.start < span.end:
            yield row


def _row(system: str, row: Expressed) -> str:
    said = row.became or "nothing"
    told = f"`{said}`" if row.verdict != "refused" else f"refused: {row.because}"
    if row.verdict == "approximated" and row.because:
        told += f" ({row.because})"
    return f"| {system} | {row.where} | {told.replace('|', '/')} |"
