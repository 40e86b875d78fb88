"""Apply the fixes of findings to the text they are about."""

from collections.abc import Iterable

import click

from tcc import api
from tcc.cli.options import Failure
from tcc.diagnostics import Diagnostic, Fix
from tcc.files import write_atomically
from tcc.passes import Given
from tcc.source import Source
from tcc.syntax.read import STDIN

ROUNDS = 10
"""A fix can bring another finding to light; more rounds than this would be a circle."""


def apply_fixes(source: Source, found: Iterable[Diagnostic], *, unsafe: bool = False) -> Source:
    """Return the text with every safe fix in it, or every one; of two that overlap, the first."""
    fixes = {
        fix
        for item in found
        for fix in item.fixes
        if (fix.safe or unsafe) and fix.span.path == source.path
    }
    text, end = source.text, len(source.text) + 1
    chosen: list[Fix] = []
    at = -1
    for fix in sorted(fixes, key=lambda fix: (fix.span.start, fix.span.end)):
        if fix.span.start >= max(at, 0) and fix.span.end < end:
            chosen.append(fix)
            at = max(fix.span.end, fix.span.start + 1)
    for fix in reversed(chosen):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return Source(source.path, text)


def fixed(source: Source, given: Given, *, unsafe: bool = False) -> Source:
    """Return the text after fixes have been applied until there are none left."""
    for _ in range(ROUNDS):
        found = api.lint(api.load(source, given))
        following = apply_fixes(source, found, unsafe=unsafe)
        if following.text == source.text:
            break
        source = following
    return source


def fix_source(source: Source, path: str, given: Given, *, unsafe: bool = False) -> Source:
    """Apply fixes and write the file.

    What came by standard input goes to standard output.

    Raises:
        Failure: the file cannot be written.
    """
    after = fixed(source, given, unsafe=unsafe)
    if path == STDIN:
        click.echo(after.text, nl=False)
    elif after.text != source.text:
        try:
            write_atomically(path, after.text.encode())
        except OSError as problem:
            raise Failure(f"{path}: {problem.strerror}") from problem
    return after
