"""`tcc lint`: parse, build, check."""

import os
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options, show
from tcc.collector import collection_paused
from tcc.diagnostics import Diagnostic, Severity
from tcc.source import Source
from tcc.syntax.read import STDIN, read_source

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Built, Given

SUFFIXES = (".tcc", ".tcc.json")
FOUND, FAILED = 1, 2


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
    exit_zero: bool,
    stdin_filename: str | None,
    target: str | None,
) -> int:
    """Check policies: files, directories, or - for standard input.

    Without FILES, the policies of the current directory are checked.

    Exit codes: 0 nothing to complain about (notes do not count), 1 warnings or errors,
    2 wrong usage, or a file that cannot be read.
    """  # fmt: skip
    if unsafe_fixes and not (fix or diff):
        raise click.UsageError("--unsafe-fixes goes with --fix or --diff")
    if diff:
        return _show_fixes(files, stdin_filename, given, unsafe=unsafe_fixes)
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    with collection_paused():  # from the first file to the last: all that is made is kept
        for path in _paths(files or (".",)):
            source = read_source(path, stdin_filename if path == STDIN else None)
            if isinstance(source, Diagnostic):
                found.append(source)
                continue
            if fix:
                source = _fixed(source, path, given, unsafe=unsafe_fixes)
            built = api.load(source, given)
            sources |= built.sources
            found += _lint(built, facts, target)
    wanted = _wanted(select, ignore)
    shown = [item for item in dict.fromkeys(found) if wanted(item)]
    show.findings(shown, sources, form, ctx.color, to_stdout=True)
    if any(item.code == "file-unreadable" for item in found):
        return FAILED
    bad = any(item.severity >= Severity.WARNING for item in shown)
    return FOUND if bad and not exit_zero else 0


def _fixed(source: Source, path: str, given: "Given", *, unsafe: bool) -> Source:
    from tcc.cli.fixing import fix_source  # noqa: PLC0415

    return fix_source(source, path, given, unsafe=unsafe)


def _show_fixes(
    files: tuple[str, ...], stdin_filename: str | None, given: "Given", *, unsafe: bool
) -> int:
    """Print what fixes would change; return the exit code: 1 if there is anything."""
    from tcc.cli.fixing import fixed  # noqa: PLC0415
    from tcc.cli.fmt import difference  # noqa: PLC0415

    code = 0
    for path in _paths(files or (".",)):
        source = read_source(path, stdin_filename if path == STDIN else None)
        if isinstance(source, Diagnostic):
            show.findings([source], {})
            code = FAILED
            continue
        change = difference(source, fixed(source, given, unsafe=unsafe).text)
        click.echo(change, nl=False)
        code = max(code, FOUND if change else 0)
    return code


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


def _wanted(select: tuple[str, ...], ignore: tuple[str, ...]) -> Callable[[Diagnostic], bool]:
    chosen, left_out = _codes(select), _codes(ignore)

    def wanted(item: Diagnostic) -> bool:
        selected = not chosen or any(fnmatchcase(item.code, code) for code in chosen)
        return selected and not any(fnmatchcase(item.code, code) for code in left_out)

    return wanted


def _codes(options_: tuple[str, ...]) -> list[str]:
    codes = [code.strip() for option in options_ for code in option.split(",") if code.strip()]
    unknown = [code for code in codes if not _known(code)]
    if unknown:
        raise click.UsageError(f"there is no finding `{unknown[0]}`")
    return codes


def _known(code: str) -> bool:
    from tcc.pages import codes  # noqa: PLC0415

    return any(fnmatchcase(known, code) for known in codes())
