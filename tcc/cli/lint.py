"""`tcc lint`: parse, build, check."""

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options, show
from tcc.collector import collection_paused
from tcc.diagnostics import Diagnostic, Severity
from tcc.linting.nearby import has_config
from tcc.source import Source
from tcc.syntax.read import STDIN, read_source

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Built, Given

SUFFIXES = (".tcc", ".tcc.json")
FOUND, FAILED = 1, 2
FEW = 16
"""Files that are looked at one after the other, without a cache."""


@click.command()
@click.argument("files", nargs=-1)
@options.output_format
@options.values
@options.facts
@click.option(
    "--select",
    multiple=True,
    metavar="CODES",
    help="Show only these findings: codes, or patterns such as param-*, with commas.",
)
@click.option("--ignore", multiple=True, metavar="CODES", help="Do not show these findings.")
@click.option("--fix", is_flag=True, help="Write the fixes that cannot change what is meant.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and write nothing.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="With --fix or --diff: also those that may change it."
)
@click.option("--jobs", type=click.IntRange(1), help="The most processes to share the work.")
@click.option("--no-cache", is_flag=True, help="Look at every file, changed or not.")
@click.option("--no-config", is_flag=True, help="Pass over tcc.toml and [tool.tcc].")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--stdin-filename", metavar="PATH", help="The name of what comes by standard input.")
@click.option("--target", metavar="BACKEND", help="Find what this back end cannot express.")
@click.pass_context
def command(  # noqa: PLR0913
    ctx: click.Context,
    files: tuple[str, ...],
    form: str,
    given: "Given",
    facts: "Facts | None",
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    *,
    fix: bool,
    diff: bool,
    unsafe_fixes: bool,
    jobs: int | None,
    no_cache: bool,
    no_config: bool,
    exit_zero: bool,
    stdin_filename: str | None,
    target: str | None,
) -> int:
    """Check policies: files, directories, or - for standard input.

    Without FILES, the policies of the current directory are checked. Values of parameters, facts
    and more can stand in a `tcc.toml` above the policies, or in [tool.tcc] of a pyproject.toml.

    Exit codes: 0 nothing to complain about (notes do not count), 1 warnings or errors,
    2 wrong usage, or a file that cannot be read.
    """  # fmt: skip
    if unsafe_fixes and not (fix or diff):
        raise click.UsageError("--unsafe-fixes goes with --fix or --diff")
    selected, ignored = _codes(select), _codes(ignore)
    paths = list(_paths(files or (".",)))
    configured = not no_config and any(_has_config(path, stdin_filename) for path in paths)
    if fix or diff or configured or len(paths) > FEW:
        from tcc.cli.linting import Run  # noqa: PLC0415  (not for a file without settings)

        run = Run(given, facts, target, selected, ignored, stdin_filename, configured)
        if diff:
            return run.show_fixes(paths, unsafe=unsafe_fixes)
        if fix:
            run.fix(paths, unsafe=unsafe_fixes)
        shown, sources, failed = run.lint(paths, jobs, cached=not no_cache and len(paths) > FEW)
    else:
        found, sources = _plain(paths, stdin_filename, given, facts, target)
        failed = any(item.code == "file-unreadable" for item in found)
        shown = [item for item in dict.fromkeys(found) if wanted(item, selected, ignored)]
    show.findings(shown, sources, form, ctx.color, to_stdout=True)
    if failed:
        return FAILED
    bad = any(item.severity >= Severity.WARNING for item in shown)
    return FOUND if bad and not exit_zero else 0


def _plain(
    paths: list[str],
    stdin_filename: str | None,
    given: "Given",
    facts: "Facts | None",
    target: str | None,
) -> tuple[list[Diagnostic], dict[str, Source]]:
    """Look at a few files, one after the other, with the settings of the command line alone."""
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    with collection_paused():  # from the first file to the last: all that is made is kept
        for path in paths:
            source = read_source(path, stdin_filename if path == STDIN else None)
            if isinstance(source, Diagnostic):
                found.append(source)
                continue
            built = api.load(source, given)
            sources |= built.sources
            more = _lint(built, facts, target)
            found += more if built.policy is not None else _of_fragment(built, more)
    return found, sources


def _of_fragment(built: "Built", found: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    """Leave out that names are missing where the policy has no link: it is to be included."""
    from tcc.linting.fragments import has_link, without_absent  # noqa: PLC0415

    json = not built.trees
    whole = json or any(has_link(source.text) for source in built.sources.values())
    return found if whole else without_absent(found)


def _has_config(path: str, stdin_filename: str | None) -> bool:
    return has_config((stdin_filename or "") if path == STDIN else path)


def _lint(built: "Built", facts: "Facts | None", target: str | None) -> Iterable[Diagnostic]:
    if not target:
        return api.lint(built, facts)
    from tcc.plugin import BACKENDS, PluginError, names  # noqa: PLC0415

    try:
        return api.lint(built, facts, target)
    except KeyError as problem:
        known = ", ".join(names(BACKENDS))
        raise click.UsageError(f"there is no back end `{target}`; there are {known}") from problem
    except PluginError as problem:
        raise click.UsageError(str(problem)) from problem


def _paths(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if path == STDIN or not os.path.isdir(path):
            yield path
            continue
        inside = policies_in(path)
        if not inside:
            raise click.UsageError(f"there is no policy (*.tcc, *.tcc.json) in {path}")
        yield from inside


def policies_in(directory: str) -> list[str]:
    """Return the policies in a directory and those below it, hidden ones left out."""
    found = []
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [os.path.join(folder, name) for name in files if name.endswith(SUFFIXES)]
    return sorted(os.path.normpath(name) for name in found)


def wanted(item: Diagnostic, selected: list[str], ignored: list[str]) -> bool:
    """Whether a finding is to be shown, by patterns of codes."""
    if selected and not any(fnmatchcase(item.code, code) for code in selected):
        return False
    return not any(fnmatchcase(item.code, code) for code in ignored)


def _codes(options_: tuple[str, ...]) -> list[str]:
    codes = [code.strip() for option in options_ for code in option.split(",") if code.strip()]
    unknown = [code for code in codes if not _known(code)]
    if unknown:
        raise click.UsageError(f"there is no finding `{unknown[0]}`")
    return codes


def _known(code: str) -> bool:
    from tcc.pages import codes  # noqa: PLC0415

    return any(fnmatchcase(known, code) for known in codes())
