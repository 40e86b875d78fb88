"""One type for everything any stage has to say about a policy.

A diagnostic is a fact with a place: what is wrong, where, why, and how to mend it. Stages
return diagnostics; they never print, and they never raise for bad input. How findings
look on a terminal, as JSON or as SARIF is `tcc.report`'s business.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from tcc.source import Span


class Severity(IntEnum):
    """How bad it is. Notes never change an exit code."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        """Return the word that people see."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Fix:
    """A replacement of the text at `span`; `safe` when it cannot change what was meant."""

    description: str
    span: Span
    text: str
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: words joined by hyphens, such as `tbf-burst-below-frame`; names the page that
            `tcc explain` prints.
        severity: note, warning or error.
        message: one sentence fragment, without a full stop, that states the fact.
        span: the words at fault; None only when there is no text to point at.
        path: for policies given as JSON, the JSON path (`$.links[0].device`).
        hints: further lines: the reason, then the cure.
        fixes: replacements that would mend it.
        related: other places that matter, each with a few words.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None
    path: str | None = None
    hints: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    related: tuple[tuple[str, Span], ...] = ()


def error(
    code: str, span: Span | None, message: str, *hints: str, fix: Fix | None = None
) -> Diagnostic:
    """Return an error; `hints` are the reason and the cure."""
    return Diagnostic(code, Severity.ERROR, message, span, None, hints, (fix,) if fix else ())


def warning(
    code: str, span: Span | None, message: str, *hints: str, fix: Fix | None = None
) -> Diagnostic:
    """Return a warning; `hints` are the reason and the cure."""
    return Diagnostic(code, Severity.WARNING, message, span, None, hints, (fix,) if fix else ())


def note(code: str, span: Span | None, message: str, *hints: str) -> Diagnostic:
    """Return a note, which informs and never fails a run."""
    return Diagnostic(code, Severity.NOTE, message, span, None, hints)


def has_errors(found: Iterable[Diagnostic]) -> bool:
    """Whether any of `found` is an error."""
    return any(item.severity is Severity.ERROR for item in found)
