"""`tcc generate`: another system's configuration, written from a policy."""

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options, show
from tcc.diagnostics import Diagnostic, has_errors

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Built, Given
    from tcc.plan.state import FileItem

CANNOT_EXPRESS = 1


@click.command()
@click.argument("backend")
@click.argument("file")
@options.values
@options.facts
@click.option("-o", "--output", metavar="DIR", help="Write the files below this directory.")
@click.pass_context
def command(
    ctx: click.Context,
    backend: str,
    file: str,
    given: "Given",
    facts: "Facts | None",
    output: str | None,
) -> int:
    """Write what the policy FILE means in the terms of BACKEND; `tcc plugins` lists them.

    Without -o the files are printed. What the system cannot express is an error at the words
    that ask for it, and nothing is written.

    Exit codes: 0 done; 1 the policy has errors, or the system cannot express it; 2 wrong usage.
    """
    built = api.load(file, given, complete=True)
    if has_errors(built.found) or built.policy is None:
        show.findings(built.found, built.sources, color=ctx.color)
        return CANNOT_EXPRESS
    files, found = _files(built, backend, facts)
    show.findings(list(dict.fromkeys([*built.found, *found])), built.sources, color=ctx.color)
    if has_errors(found):
        return CANNOT_EXPRESS
    if not files:
        raise click.UsageError(f"{backend} writes no files: use `tcc plan` and `tcc apply`")
    if output is None:
        _print(files)
    else:
        for path, item in files.items():
            _write(Path(output), path, item)
    return 0


def _files(
    built: "Built", backend: str, facts: "Facts | None"
) -> "tuple[dict[str, FileItem], list[Diagnostic]]":
    from tcc.plan.state import FileItem  # noqa: PLC0415
    from tcc.plugin import BACKENDS, PluginError, names  # noqa: PLC0415

    try:
        state, found = api.lower(built, backend, facts, {"policy-sha256": _digest(built)})
    except KeyError as problem:
        known = ", ".join(names(BACKENDS))
        raise click.UsageError(f"there is no back end `{backend}`; there are {known}") from problem
    except PluginError as problem:
        raise click.UsageError(str(problem)) from problem
    files = {place.at: item for place, item in state.items() if isinstance(item, FileItem)}
    return files, list(found)


def _digest(built: "Built") -> str:
    """Return the SHA-256 of the policy's text, and of what it includes."""
    digest = sha256()
    for source in built.sources.values():
        digest.update(source.text.encode())
    return digest.hexdigest()


def _print(files: "dict[str, FileItem]") -> None:
    for path, item in files.items():
        if len(files) > 1:
            click.echo(f"# ---- {path}")
        click.echo(item.text, nl=not item.text.endswith("\n"))


def _write(directory: Path, path: str, item: "FileItem") -> None:
    """Write one file below `directory`, which its path must not leave."""
    from tcc.files import put  # noqa: PLC0415

    target = directory / path.lstrip("/")
    if ".." in Path(path).parts:
        raise options.Failure(f"{path} would be outside {directory}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        put(str(target), item.text.encode(), item.mode)
    except OSError as problem:
        raise options.Failure(f"{target}: {problem.strerror}") from problem
    click.echo(str(target))
