"""`tcc report`: pages made from results that were kept."""

import click

from tcc.cli import show
from tcc.cli.pages import write

UNREADABLE = 2


@click.group()
def command() -> None:
    """Make pages from results that `tcc verify --json` printed."""


@command.command()
@click.argument("before", metavar="A.json")
@click.argument("after", metavar="B.json")
@click.option("-o", "--output", default="-", metavar="F.html", help="Where the page goes.")
@click.pass_context
def diff(ctx: click.Context, before: str, after: str, output: str) -> int:
    """Compare two verifications on one page: verdicts, figures, and charts of both.

    Charts need results with --series. Objectives are the same when their texts are.

    Exit codes: 0 written, 2 the results cannot be read or the page cannot be written.
    """
    from tcc import __version__  # noqa: PLC0415
    from tcc.report.page.diff import render  # noqa: PLC0415
    from tcc.verify.reading import read_results  # noqa: PLC0415

    first, wrong = read_results(before)
    second, more = read_results(after)
    if first is None or second is None:
        show.findings((*wrong, *more), {}, color=ctx.color)
        return UNREADABLE
    write(output, render(first, second, (before, after), __version__))
    return 0
