"""`qdisc KIND { OPTION ... }`: the options of a kind, read as its plugin declares them.

The words come from the plugin's table, the types from the annotations of its options
model, and what the model's own validators refuse is said at the words it speaks of.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from tcc import language
from tcc.diagnostics import Fix
from tcc.ir import Options, Path, QdiscChoice, document
from tcc.passes.blocks import once_said
from tcc.passes.context import listed, nearest
from tcc.passes.fieldtype import FieldType, field_types
from tcc.passes.reader import MAX_DURATION, MAX_RATE, Operands, Reader, operands_span
from tcc.passes.setting import Setting
from tcc.passes.values import Amount
from tcc.source import Span
from tcc.syntax.tree import Block, Clause, Operand, Word
from tcc.units import Dimension

if TYPE_CHECKING:
    from pydantic import ValidationError

    from tcc.plugin import QdiscPlugin
    from tcc.plugin import Word as OptionWord

RANGES = {
    Dimension.RATE: (0, MAX_RATE),
    Dimension.SIZE: (-(2**63), 2**63 - 1),
    Dimension.DURATION: (0, MAX_DURATION),
    Dimension.COUNT: (-(2**63), 2**63 - 1),
}
"""What fits the field; narrower limits are the plugin's, which knows the kernel's."""


class Choice(NamedTuple):
    """A qdisc choice and the places of its parts, relative to it."""

    node: QdiscChoice | None
    places: dict[Path, Span]
    unknown: list[Path]


def read_qdisc(reader: Reader, clause: Clause) -> Setting:
    """`qdisc auto|KIND [{ OPTION ... }]`.

    Codes: unknown-qdisc, inner-qdisc, plugin-broken, unexpected-block, unknown-option,
    duplicate-option, invalid-option and those of values.
    """
    operands = Operands(reader, clause, language.SHAPING["qdisc"].syntax)
    kind = operands.take_word("a kind of qdisc")
    operands.end()
    if kind is None:
        return Setting(None, operands_span(clause))
    if kind.text == "auto":
        if clause.block:
            reader.context.error(
                "unexpected-block", kind.span, "`qdisc auto` takes no options",
                "name the kind whose options these are",
            )  # fmt: skip
        return Setting(QdiscChoice(kind="auto"), kind.span, ((("kind",), kind.span),))
    choice = _choice(reader, kind, clause.block, inside=False)
    return Setting(choice.node, kind.span, tuple(choice.places.items()), tuple(choice.unknown))


def _choice(reader: Reader, kind: Word, block: Block | None, *, inside: bool) -> Choice:
    plugin = find_plugin(reader, kind)
    places: dict[Path, Span] = {("kind",): kind.span}
    unknown: list[Path] = []
    if plugin is None:
        return Choice(None, places, unknown)
    if plugin.inner_only and not inside:
        reader.context.error(
            "inner-qdisc",
            kind.span,
            f"`{kind.text}` does not shape: it can only be inside another qdisc",
            f"write `qdisc tbf {{ ...; inner {kind.text} }}`",
        )
    options = None
    if block is not None:
        read = OptionBlock(reader, plugin, kind)
        options = read.run(block)
        places |= {("options", *path): span for path, span in read.places.items()}
        unknown += [("options", *path) for path in read.unknown]
    return Choice(QdiscChoice(kind=plugin.kind, options=options), places, unknown)


def find_plugin(reader: Reader, kind: Word) -> "QdiscPlugin | None":
    """Return the plugin for a kind; None, with an error, when there is none that works."""
    from tcc import plugin  # noqa: PLC0415  (looks through installed distributions)

    try:
        return plugin.qdisc(kind.text)
    except KeyError:
        known = list(plugin.names(plugin.QDISCS))
        near = nearest(kind.text, ["auto", *known])
        reader.context.error(
            "unknown-qdisc",
            kind.span,
            f"no plugin knows a qdisc `{kind.text}`",
            f"there are {listed(['auto', *known])}",
            fix=Fix(f"write `{near}`", kind.span, near, safe=False) if near else None,
        )
    except plugin.PluginError as problem:
        reader.context.error(
            "plugin-broken", kind.span, str(problem), "`tcc plugins` lists what is installed"
        )
    return None


class OptionBlock:
    """Reads one block of options into the plugin's model."""

    def __init__(self, reader: Reader, plugin: "QdiscPlugin", kind: Word) -> None:
        self.reader = reader
        self.kind = kind
        self.model: type[Options] = plugin.options_model
        self.words: Mapping[str, OptionWord] = plugin.words
        self.types = field_types(self.model)
        self.values: dict[str, object] = {}
        self.places: dict[Path, Span] = {}
        self.unknown: list[Path] = []
        self._set_by: dict[str, Word] = {}

    def run(self, block: Block) -> Options | None:
        """Read every clause, then let the model judge the whole."""
        context = self.reader.context
        before = len(context.found)
        for clause in once_said(context, block.clauses):
            self._clause(clause)
        if len(context.found) > before:
            return None
        return self._validated(block)

    def _validated(self, block: Block) -> Options | None:
        from pydantic import ValidationError  # noqa: PLC0415

        try:
            return document.read(self.model, self.values)
        except ValidationError as problem:
            if not self.unknown:
                self._explain(problem, block)
            return None

    def _explain(self, problem: "ValidationError", block: Block) -> None:
        for item in problem.errors(include_url=False):
            path = tuple(item["loc"])
            while path and path not in self.places:
                path = path[:-1]
            span = self.places.get(path, self.kind.span)
            message = item["msg"].removeprefix("Value error, ")
            word = self._set_by.get(str(path[0])) if path else None
            subject = f"`{word.text}` of" if word else "the options of"
            self.reader.context.error(
                "invalid-option", span, f"{subject} `{self.kind.text}`: {_lower(message)}"
            )

    def _clause(self, clause: Clause) -> None:
        context = self.reader.context
        word = self.words.get(clause.word.text)
        if clause.prefer is not None:
            context.error(
                "misplaced-prefer", clause.prefer, "`prefer` cannot stand before an option",
                "put it before `qdisc`",
            )  # fmt: skip
        if word is None:
            self._unknown_option(clause)
            return
        if (first := self._set_by.get(word.field)) is not None:
            context.error(
                "duplicate-option",
                clause.word.span,
                f"`{clause.word.text}` sets again what `{first.text}` has set",
                "keep one of them",
                related=[("first set here", first.span)],
            )
            return
        self._set_by[word.field] = clause.word
        operands = Operands(self.reader, clause, f"{clause.word.text} {self._what(word)}".strip())
        self.places[word.field,] = operands_span(clause)
        kind = self.types[word.field]
        value = word.value if word.value is not None else self._operand(operands, clause, kind)
        operands.end()
        if clause.block is not None and not (kind.qdisc and word.value is None):
            context.error(
                "unexpected-block", clause.word.span, f"`{clause.word.text}` takes no block"
            )
        if value is None:
            self.unknown.append((word.field,))
        else:
            self.values[word.field] = value

    def _what(self, word: "OptionWord") -> str:
        if word.value is not None:
            return ""
        kind = self.types[word.field]
        names = [str(dimension).upper() for dimension in kind.dimensions]
        names += [*kind.words, *(("on", "off") if kind.truth else ())]
        return "|".join(names + (["KIND"] if kind.qdisc else []) + (["TEXT"] if kind.text else []))

    def _unknown_option(self, clause: Clause) -> None:
        word = clause.word
        near = nearest(word.text, self.words)
        self.reader.context.error(
            "unknown-option",
            word.span,
            f"`{self.kind.text}` has no option `{word.text}`",
            f"it has {listed(self.words)}" if self.words else "it has none",
            fix=Fix(f"write `{near}`", word.span, near, safe=False) if near else None,
        )

    def _operand(self, operands: Operands, clause: Clause, kind: FieldType) -> object | None:
        word = operands.word()
        if word is not None and word in kind.words:
            operands.take()
            return word
        if kind.truth and word in ("on", "off"):
            operands.take()
            return word == "on"
        if kind.qdisc:
            return self._inner(operands, clause)
        operand = operands.take(kind.what or "a value")
        if operand is None:
            return None
        if kind.text and not kind.dimensions:
            return self.reader.text(operand, "a text")
        if not kind.dimensions:
            if isinstance(operand, Word):
                self.reader.unknown_word(operand, kind.words or ("on", "off"), kind.what)
            else:
                self.reader.context.error("expected-word", operand.span, f"expected {kind.what}")
            return None
        return self._number(operand, kind)

    def _number(self, operand: Operand, kind: FieldType) -> object | None:
        dimension = kind.dimensions[0]
        if (
            isinstance(operand, Word)
            and kind.words
            and not self.reader.values.definition(operand.text)
        ):
            self.reader.unknown_word(operand, kind.words, kind.what)
            return None
        if len(kind.dimensions) > 1:
            value = self.reader.values.evaluate(operand)
            if value is None:
                return None
            if isinstance(value, Amount) and value.dimension in kind.dimensions:
                dimension = value.dimension
        if dimension is Dimension.PERCENT:
            return self.reader.ratio(operand)
        if dimension is Dimension.COUNT:
            return self.reader.count(operand, *RANGES[dimension])
        return self.reader.quantity(operand, dimension, *RANGES[dimension])

    def _inner(self, operands: Operands, clause: Clause) -> QdiscChoice | None:
        kind = operands.take_word("a kind of qdisc")
        if kind is None:
            return None
        field = self.words[clause.word.text].field
        choice = _choice(self.reader, kind, clause.block, inside=True)
        self.places |= {(field, *path): span for path, span in choice.places.items()}
        self.unknown += [(field, *path) for path in choice.unknown]
        return choice.node


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
