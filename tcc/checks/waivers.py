"""Waivers: `# tcc: allow CODE because REASON`, on the line of a finding or the line above.

A waiver takes warnings and notes away, and the errors of checks. What makes a policy
impossible to build or to lower stays: no comment makes it work.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from tcc.checks import MARK
from tcc.diagnostics import Diagnostic, Fix, Severity, warning
from tcc.passes.built import Built
from tcc.source import Source, Span
from tcc.syntax.tree import Comment, Tree

WAIVER = re.compile(
    r"#\s*tcc:\s*allow\s+(?P<codes>[a-z0-9_-]+(?:\s*,\s*[a-z0-9_-]+)*)"
    r"(?:\s+because(?:\s+(?P<reason>\S.*))?)?\s*"
)
USAGE = "write: # tcc: allow CODE because REASON"
FROM_TEXT = ("tbf-", "sfq-", "fifo-", "cake-")
FROM_HOST = ("cake-mq-",)
"""Beginnings of codes of plugins that need no host, and of those among them that do."""

Line = tuple[str, int]


@dataclass(slots=True)
class Waiver:
    """One comment that takes findings away."""

    span: Span
    removal: Span
    """What to delete to be rid of it."""
    codes: tuple[str, ...]
    used: set[str] = field(default_factory=set)


def waive(
    built: Built, found: Iterable[Diagnostic], of_checks: Collection[str]
) -> list[Diagnostic]:
    """Return findings without those that are waived, and with those about waivers.

    Found: `waiver-malformed`, `waiver-without-reason`, `waiver-unknown-code`, `waiver-unused`,
    `waiver-of-error`.

    Args:
        built: the policy, whose comments are read.
        found: all findings about it.
        of_checks: codes that would have been found, were there anything to find.
    """
    found = list(found)
    by_line: dict[Line, list[Waiver]] = {}
    own: list[Diagnostic] = []
    for tree in built.trees:
        _read(tree, by_line, own)
    if not by_line:
        return found + own
    lines = {path: _Lines(source) for path, source in built.sources.items()}
    kept = [item for item in found if not _taken(item, by_line, lines, of_checks, own)]
    waivers = {id(waiver): waiver for some in by_line.values() for waiver in some}
    if built.policy is not None:
        for waiver in waivers.values():
            own += _about(waiver, of_checks)
    return kept + own


class _Lines:
    """The lines of a file by offset."""

    def __init__(self, source: Source) -> None:
        lengths = (len(line) for line in source.text.split("\n"))
        self.starts = [0, *accumulate(length + 1 for length in lengths)]

    def number(self, offset: int) -> int:
        return bisect_right(self.starts, offset)


def _read(tree: Tree, by_line: dict[Line, list[Waiver]], found: list[Diagnostic]) -> None:
    """Enter the waivers of a file under the lines whose findings they take."""
    path, text = tree.source.path, tree.source.text
    if "tcc" not in text or not any(MARK.match(comment.text) for comment in tree.comments):
        return
    lines = _Lines(tree.source)
    target = _targets(lines.number(each.span.start) for each in tree.comments if each.own_line)
    for comment in tree.comments:
        if not MARK.match(comment.text):
            continue
        written = WAIVER.fullmatch(comment.text.rstrip())
        if written is None:
            found.append(warning("waiver-malformed", comment.span, "this waives nothing", USAGE))
            continue
        if written["reason"] is None:
            found.append(_without_reason(comment.span))
        codes = tuple(code.strip() for code in written["codes"].split(","))
        line = lines.number(comment.span.start)
        waiver = Waiver(comment.span, _removal(comment, text), codes)
        by_line.setdefault((path, target.get(line, line)), []).append(waiver)


def _targets(alone: Iterable[int]) -> dict[int, int]:
    """Return, for each line that holds a comment alone, the first line below that does not."""
    target: dict[int, int] = {}
    for line in sorted(set(alone), reverse=True):
        target[line] = target.get(line + 1, line + 1)
    return target


def _without_reason(span: Span) -> Diagnostic:
    return warning(
        "waiver-without-reason",
        span,
        "this waiver does not say why",
        "who reads it next year cannot tell whether it still holds",
        USAGE,
    )


def _removal(comment: Comment, text: str) -> Span:
    """Return what to delete with a comment: its line, or the blanks before it."""
    path, start, end = comment.span.path, comment.span.start, comment.span.end
    begins = text.rfind("\n", 0, start) + 1
    if not comment.own_line:
        return Span(path, begins + len(text[begins:start].rstrip(" \t")), end)
    return Span(path, begins, end + (text[end : end + 1] == "\n"))


def _taken(
    item: Diagnostic,
    by_line: dict[Line, list[Waiver]],
    lines: dict[str, _Lines],
    of_checks: Collection[str],
    found: list[Diagnostic],
) -> bool:
    """Whether a waiver takes this finding; it is remembered as used."""
    if item.span is None or item.span.path not in lines:
        return False
    line = lines[item.span.path].number(item.span.start)
    for waiver in by_line.get((item.span.path, line), ()):
        if item.code not in waiver.codes:
            continue
        waiver.used.add(item.code)
        if item.severity < Severity.ERROR or item.code in of_checks:
            return True
        found.append(
            warning(
                "waiver-of-error",
                waiver.span,
                f"`{item.code}` is an error here, and cannot be waived",
                "the policy cannot be applied as it is: no comment makes it work",
            )
        )
    return False


def _about(waiver: Waiver, of_checks: Collection[str]) -> Iterator[Diagnostic]:
    """Yield what is wrong with a waiver that has been tried on every finding."""
    from tcc.pages import codes  # noqa: PLC0415  (lists a folder)

    for code in waiver.codes:
        if code in waiver.used:
            continue
        if code not in codes():
            yield warning(
                "waiver-unknown-code", waiver.span, f"there is no finding `{code}`",
                "the code is in brackets behind `warning`",
            )  # fmt: skip
        elif code in of_checks or (code.startswith(FROM_TEXT) and not code.startswith(FROM_HOST)):
            fix = Fix("remove the waiver", waiver.removal, "") if len(waiver.codes) == 1 else None
            yield warning(
                "waiver-unused", waiver.span, f"there is no `{code}` here to be waived",
                "a waiver holds for its own line, or for the next one when it stands alone",
                fix=fix,
            )  # fmt: skip
