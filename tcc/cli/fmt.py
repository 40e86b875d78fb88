"""`tcc fmt`: the one layout of a policy."""

import difflib

import click

from tcc import api
from tcc.cli import show
from tcc.cli.lint import policies_in
from tcc.diagnostics import Diagnostic
from tcc.files import write_atomically
from tcc.source import Source
from tcc.syntax.read import STDIN, read_source

WOULD_CHANGE, FAILED = 1, 2


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Print what would change, and write nothing.")
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], *, check: bool, diff: bool) -> int:
    """Lay out policies in the one way: files, directories, or - for standard input.

    Comments stay. Line endings stay as the first line has them. A file with syntax errors
    is left alone.

    Exit codes: 0 done, or nothing to do; 1 --check or --diff, and a file would change;
    2 wrong usage, a syntax error, or a file that cannot be read or written.
    """
    worst = 0
    for path in _expand(files):
        worst = max(worst, _format(path, ctx.color, check=check, diff=diff))
    return worst


def _expand(files: tuple[str, ...]) -> list[str]:
    paths: list[str] = []
    for path in files:
        inside = [] if path == STDIN else policies_in(path)
        paths += [name for name in inside if name.endswith(".tcc")] or [path]
    return paths


def _format(path: str, color: bool | None, *, check: bool, diff: bool) -> int:
    source = read_source(path)
    if isinstance(source, Diagnostic):
        show.findings([source], {}, color=color)
        return FAILED
    if source.path.endswith(".json"):
        show.lines(f"{path}: only policies in the language have a layout", err=True)
        return FAILED
    laid_out = api.format_text(source)
    if not isinstance(laid_out, str):
        show.findings(laid_out, {source.path: source}, color=color)
        return FAILED
    text = _with_endings_of(source, laid_out)
    if check or diff:
        if diff:
            click.echo(difference(source, text), nl=False)
        elif text != source.text:
            show.lines(f"{source.path} would change", err=True)
        return WOULD_CHANGE if text != source.text else 0
    return _write(path, source, text)


def _write(path: str, source: Source, text: str) -> int:
    if path == STDIN:
        click.echo(text, nl=False)
    elif text != source.text:
        try:
            write_atomically(path, text.encode())
        except OSError as problem:
            show.lines(f"{path}: {problem.strerror}", err=True)
            return FAILED
        show.lines(f"{path} laid out", err=True)
    return 0


def _with_endings_of(source: Source, text: str) -> str:
    """Return the text with CRLF if the first line of the source ends so."""
    end = source.text.find("\n")
    lines = text.replace("\r\n", "\n")
    return lines.replace("\n", "\r\n") if source.text[end - 1 : end] == "\r" else lines


def difference(source: Source, text: str) -> str:
    """Return a unified diff from the source to `text`."""
    lines = difflib.unified_diff(
        source.text.splitlines(keepends=True),
        text.splitlines(keepends=True),
        source.path,
        source.path,
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
