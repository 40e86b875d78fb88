"""`tcc lint` with settings, fixes, or many files."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from tcc.cli import options, show
from tcc.cli.fixing import fix_source, fixed
from tcc.cli.fmt import difference
from tcc.diagnostics import Diagnostic
from tcc.linting import cache
from tcc.linting.many import lint_files
from tcc.linting.nearby import ConfigError
from tcc.linting.settings import Asked, SettingsFor
from tcc.source import Source
from tcc.syntax.read import STDIN, read_source

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Given

FOUND, FAILED = 1, 2
EACH = 25
"""Files between two sights of the progress."""


class Run:
    """One run over the same files, with what the command line says."""

    def __init__(
        self,
        given: "Given",
        facts: "Facts | None",
        target: str | None,
        select: Sequence[str],
        ignore: Sequence[str],
        stdin_name: str | None,
        configured: bool,
    ) -> None:
        self.asked = Asked(
            given, facts, target, tuple(select), tuple(ignore), options.read_facts, configured
        )
        self.stdin_name = stdin_name
        self.fixed_stdin: Source | None = None

    def fix(self, paths: Sequence[str], *, unsafe: bool) -> None:
        """Write the fixes of all files that can be read."""
        for path, source, given in self._sources(paths):
            if not isinstance(source, Diagnostic):
                after = fix_source(source, path, given, unsafe=unsafe)
                if path == STDIN:
                    self.fixed_stdin = after

    def show_fixes(self, paths: Sequence[str], *, unsafe: bool) -> int:
        """Print what fixes would change; return the exit code: 1 if there is anything."""
        code = 0
        for _, source, given in self._sources(paths):
            if isinstance(source, Diagnostic):
                show.findings([source], {})
                code = FAILED
                continue
            change = difference(source, fixed(source, given, unsafe=unsafe).text)
            click.echo(change, nl=False)
            code = max(code, FOUND if change else 0)
        return code

    def lint(
        self, paths: Sequence[str], jobs: int | None, *, cached: bool
    ) -> tuple[list[Diagnostic], dict[str, Source], bool]:
        """Return what is to be shown, the texts, and whether a file could not be read.

        Raises:
            click.UsageError: a configuration, or the back end, cannot be used.
        """
        from tcc.plugin import BACKENDS, PluginError, names  # noqa: PLC0415

        kept = cache.opened() if cached else None
        try:
            done = lint_files(
                paths, self.asked, kept, jobs or processors(), _progress, self.stdin_name,
                self.fixed_stdin,
            )  # fmt: skip
        except (ConfigError, PluginError) as problem:
            raise click.UsageError(str(problem)) from problem
        except KeyError as problem:
            known = ", ".join(names(BACKENDS))
            raise click.UsageError(
                f"there is no back end `{problem.args[0]}`; there are {known}"
            ) from problem
        finally:
            _end_progress()
        return done.shown, done.sources, done.failed

    def _sources(self, paths: Sequence[str]) -> Iterator[tuple[str, Source | Diagnostic, "Given"]]:
        settings_for = SettingsFor(self.asked)
        for path in paths:
            source = read_source(path, self.stdin_name if path == STDIN else None)
            given = self.asked.given
            if isinstance(source, Source):
                try:
                    given = settings_for(source).given
                except ConfigError as problem:
                    raise click.UsageError(str(problem)) from problem
            yield path, source, given


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty() and total > EACH and (done % EACH == 0 or done == total):
        sys.stderr.write(f"\r{done} of {total} policies")
        sys.stderr.flush()


def _end_progress() -> None:
    """Take the progress off a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
