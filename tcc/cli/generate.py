"""`tcc generate`: another system's configuration, written from a policy."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options, policies, show
from tcc.diagnostics import Diagnostic, has_errors

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Built
    from tcc.plan.state import FileItem

CANNOT_EXPRESS = 1


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[BACKEND] FILE")
@click.option(
    "--vars", "vars_", multiple=True, metavar="FILE",
    help="Values of parameters: a YAML, JSON or CSV file; a CSV table with a column `site` "
    "renders one site a row.",
)  # fmt: skip
@click.option(
    "--set", "set_", multiple=True, metavar="NAME=VALUE",
    help="The value of a parameter of the policy, such as up=18mbit.",
)  # fmt: skip
@options.facts
@click.option(
    "-O", "knobs", multiple=True, metavar="NAME=VALUE",
    help="An option of the back end, such as release=23.05.",
)  # fmt: skip
@click.option("-o", "--output", metavar="DIR", help="Write the files below this directory.")
@click.option("--matrix", is_flag=True, help="Say what becomes of each clause on each system.")
@click.option("--json", "as_json", is_flag=True, help="Print the matrix as JSON.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes for many sites.")
@click.pass_context
def command(  # noqa: PLR0913
    ctx: click.Context,
    words: tuple[str, ...],
    vars_: tuple[str, ...],
    set_: tuple[str, ...],
    facts: "Facts | None",
    knobs: tuple[str, ...],
    output: str | None,
    jobs: int | None,
    *,
    matrix: bool,
    as_json: bool,
) -> int:
    """Write what the policy FILE means in the terms of BACKEND; `tcc plugins` lists them.

    Without -o the files are printed. What the system cannot express is an error at the words
    that ask for it, and nothing is written. With --matrix nothing is written: it says for each
    clause whether it is exact, approximated or refused, on BACKEND or on all of them.

    Exit codes: 0 done; 1 the policy has errors, or the system cannot express it; 2 wrong usage.
    """
    backend, file = _named(words, matrix=matrix)
    settings = _settings(knobs)
    if (sites := _sites_file(vars_)) is not None:
        if backend is None or matrix or output is None:
            raise click.UsageError("many sites are written with a BACKEND and -o DIR")
        from tcc.cli.sites import render  # noqa: PLC0415  (starts processes)

        others = tuple(path for path in vars_ if path != sites)
        given = options.read_given(set_, others)
        return render(backend, file, sites, given, facts, settings, output, jobs)
    built = policies.load(file, options.read_given(set_, vars_), complete=True)
    if has_errors(built.found) or built.policy is None:
        show.findings(built.found, built.sources, color=ctx.color)
        return CANNOT_EXPRESS
    settings["policy-sha256"] = digest(built)
    if matrix:
        from tcc.cli.matrix import show_matrix  # noqa: PLC0415

        return show_matrix(built, backend, facts, settings, as_json=as_json)
    if backend is None:
        raise click.UsageError("write for which BACKEND? `tcc plugins` lists them")
    return _generate(ctx, built, backend, facts, settings, output)


def _named(words: Sequence[str], *, matrix: bool) -> tuple[str | None, str]:
    if len(words) == 2:
        return words[0], words[1]
    if len(words) == 1 and matrix:
        return None, words[0]
    raise click.UsageError("write `tcc generate BACKEND FILE`, or `tcc generate --matrix FILE`")


def _settings(knobs: Sequence[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for knob in knobs:
        name, equals, value = knob.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-O {knob}: write -O NAME=VALUE")
        settings[name] = value
    return settings


def _sites_file(paths: Sequence[str]) -> str | None:
    """Return the CSV file that has a row for each site, if one does."""
    from tcc.fleet import is_table  # noqa: PLC0415

    return next((path for path in paths if is_table(path)), None)


def _generate(
    ctx: click.Context,
    built: "Built",
    backend: str,
    facts: "Facts | None",
    settings: Mapping[str, str],
    output: str | None,
) -> int:
    files, found = _files(built, backend, facts, settings)
    show.findings(list(dict.fromkeys([*built.found, *found])), built.sources, color=ctx.color)
    if has_errors(found):
        return CANNOT_EXPRESS
    if not files:
        raise click.UsageError(f"{backend} writes no files: use `tcc plan` and `tcc apply`")
    if output is None:
        _print(files)
    else:
        _write(Path(output), files)
    return 0


def _files(
    built: "Built", backend: str, facts: "Facts | None", settings: Mapping[str, str]
) -> "tuple[dict[str, FileItem], list[Diagnostic]]":
    from tcc.plan.state import FileItem  # noqa: PLC0415
    from tcc.plugin import BACKENDS, PluginError, names  # noqa: PLC0415

    try:
        state, found = api.lower(built, backend, facts, settings)
    except KeyError as problem:
        known = ", ".join(names(BACKENDS))
        raise click.UsageError(f"there is no back end `{backend}`; there are {known}") from problem
    except PluginError as problem:
        raise click.UsageError(str(problem)) from problem
    files = {place.at: item for place, item in state.items() if isinstance(item, FileItem)}
    return files, list(found)


def digest(built: "Built") -> str:
    """Return the SHA-256 of the policy's text, and of what it includes."""
    made = sha256()
    for source in built.sources.values():
        made.update(source.text.encode())
    return made.hexdigest()


def _print(files: "Mapping[str, FileItem]") -> None:
    for path, item in files.items():
        if len(files) > 1:
            click.echo(f"# ---- {path}")
        click.echo(item.text, nl=not item.text.endswith("\n"))


def _write(directory: Path, files: "Mapping[str, FileItem]") -> None:
    """Write the files below `directory`, which no path and no link in it may leave."""
    from tcc.tree_of_files import Folder, PathError  # noqa: PLC0415

    try:
        directory.mkdir(parents=True, exist_ok=True)
        with Folder(directory) as folder:
            for path, item in files.items():
                folder.put(path, item.text.encode(), item.mode)
                click.echo(str(directory / path.lstrip("/")))
    except PathError as problem:
        raise options.Failure(str(problem)) from problem
    except OSError as problem:
        raise options.Failure(f"{problem.filename or directory}: {problem.strerror}") from problem
