"""Print findings."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial

import click

from tcc import report
from tcc.diagnostics import Diagnostic
from tcc.source import Source
from tcc.visible import visible


def findings(
    found: Sequence[Diagnostic],
    sources: Mapping[str, Source],
    form: str = "text",
    color: bool | None = None,
    *,
    to_stdout: bool = False,
) -> None:
    """Print findings on standard error, or as the result on standard output.

    Args:
        found: the findings, in the order in which they are shown.
        sources: the texts that they point into.
        form: one of `tcc.report.FORMATS`.
        color: True, False, or None to ask the terminal.
        to_stdout: whether the findings are what was asked for.
    """
    stream = sys.stdout if to_stdout else sys.stderr
    render = report.renderer(form)
    if form == "text":
        from tcc.report import text  # noqa: PLC0415

        render = partial(text.render, color=stream.isatty() if color is None else color)
    stream.write(render(found, sources))


def lines(text: str, *, err: bool = False) -> None:
    """Print text that may hold names from outside, such as devices'."""
    click.echo(harmless(text), err=err, nl=not text.endswith("\n"))


def harmless(text: str) -> str:
    """Return lines with nothing in them that acts on a terminal: a device may have any name."""
    return "\n".join(map(visible, text.split("\n")))
