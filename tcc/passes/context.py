"""What the passes share while one policy is built: findings, places, named values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.ir import Path
from tcc.source import Source, Span
from tcc.syntax.tree import Binary, Broken, Call, Clause, Group, Many, Operand, Tree, Word

VALUE_CODES = frozenset({
    "number-unit", "number-unit-apart", "number-malformed", "number-too-long",
    "minus-without-blanks", "address-malformed", "string-escape", "function-unknown",
    "value-missing", "expression-too-long",
})  # fmt: skip
"""Syntax errors that spoil a value and lose no clause."""


class Kind(StrEnum):
    """What a name can stand for."""

    LET = "let"
    PARAM = "param"
    PROFILE = "profile"
    LINK = "link"
    TIER = "tier"
    WORKLOAD = "workload"
    PART = "part"
    TESTBED = "testbed"


@dataclass(slots=True, eq=False)
class Definition:
    """One name that a policy defines, and every place that uses it."""

    kind: Kind
    name: str
    span: Span
    """The name where it is defined."""
    clause: Clause | None = None
    uses: list[Span] = field(default_factory=list)
    path: Path = ()
    """The node of the policy that it became; empty for let, param and profile, and for the
    tiers of a link, which may stand in a profile."""
    owner: str = ""
    """Of tiers and parts: `link wan`, `profile office`, `workload flood`; empty at the top."""


@dataclass(eq=False)
class Context:
    """The state of one build. Passes add to it; nothing is ever taken back."""

    sources: dict[str, Source] = field(default_factory=dict)
    trees: list[Tree] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)
    spans: dict[Path, Span] = field(default_factory=dict)
    unknown: set[Path] = field(default_factory=set)
    definitions: list[Definition] = field(default_factory=list)
    tables: dict[Kind, dict[str, Definition]] = field(
        default_factory=lambda: {kind: {} for kind in Kind}
    )
    owned: dict[tuple[Kind, str, str], Definition] = field(default_factory=dict)
    """Tiers and parts: by kind, owner and name."""
    profile_of: dict[str, str] = field(default_factory=dict)
    """The name of each link's profile."""
    kept: dict[Clause, Any] | None = None
    """What clauses that name no value came to in builds before, if there are several."""
    damaged: bool = False
    """Whether there was any syntax error."""
    broken: bool = False
    """Whether clauses were lost to syntax errors: then nothing is said to be missing."""

    def error(
        self,
        code: str,
        span: Span | None,
        message: str,
        *hints: str,
        fix: Fix | None = None,
        related: Sequence[tuple[str, Span]] = (),
    ) -> None:
        """Add an error; `hints` are the reason and the cure."""
        self.found.append(
            Diagnostic(
                code,
                Severity.ERROR,
                message,
                span,
                hints=tuple(hint for hint in hints if hint),
                fixes=(fix,) if fix else (),
                related=tuple(related),
            )
        )

    def missing(
        self, code: str, span: Span | None, message: str, *hints: str, fix: Fix | None = None
    ) -> None:
        """Add an error about something absent, unless a syntax error may have eaten it."""
        if not self.broken:
            self.error(code, span, message, *hints, fix=fix)

    def note_syntax(self, found: Iterable[Diagnostic]) -> None:
        """Remember what the parser could not read."""
        for item in found:
            if item.severity is Severity.ERROR:
                self.damaged = True
                self.broken = self.broken or item.code not in VALUE_CODES

    def said(self, clause: Clause) -> bool:
        """Whether a syntax error in the head of this clause has already been reported."""
        return self.damaged and any(_has_broken(operand) for operand in clause.operands)

    def define(
        self, kind: Kind, word: Word, clause: Clause | None, path: Path = ()
    ) -> Definition | None:
        """Enter a name; None, with an error that shows both places, when it is taken."""
        table = self.tables[kind]
        first = table.get(word.text)
        if first is not None:
            self.error(
                "duplicate-name",
                word.span,
                f"the {kind} `{word.text}` is defined twice",
                "a name stands for one thing: rename one of them",
                related=[("first defined here", first.span)],
            )
            return None
        definition = Definition(kind, word.text, word.span, clause, [], path)
        table[word.text] = definition
        return self.enter(definition)

    def enter(self, definition: Definition) -> Definition:
        """Enter a definition that no table guards: of a tier or a part."""
        self.definitions.append(definition)
        self.owned[definition.kind, definition.owner, definition.name] = definition
        return definition

    def use(self, kind: Kind, owners: Iterable[str], word: Word) -> None:
        """Count the use of a name of the first of these owners that defines it."""
        for owner in owners:
            definition = self.owned.get((kind, owner, word.text))
            if definition is not None:
                definition.uses.append(word.span)
                return


def _has_broken(operand: Operand) -> bool:
    waiting = [operand]
    while waiting:
        match waiting.pop():
            case Broken():
                return True
            case Binary() as pair:
                waiting += (pair.left, pair.right)
            case Group() as group:
                waiting.append(group.inner)
            case Call() as call:
                waiting += call.arguments
            case Many() as many:
                waiting += many.items
    return False


def close_to(word: str, known: Iterable[str]) -> str:
    """Return a `did you mean` sentence, or nothing when no known word is near.

    >>> close_to("bandwith", ["bandwidth", "tiers"])
    'did you mean `bandwidth`?'
    """
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` is most likely a slip of, if any is near."""
    from tcc.syntax.suggestions import did_you_mean  # noqa: PLC0415  (only for a mistake)

    return did_you_mean(word, known)


def listed(words: Iterable[str], limit: int = 24) -> str:
    """Join words for a message: `a`, `b`, ... and 7 more."""
    known = list(words)
    text = ", ".join(f"`{word}`" for word in known[:limit])
    return text + (f" and {len(known) - limit} more" if len(known) > limit else "")
