"""`tcc rollback`: what was there before."""

import click

from tcc.cli import options


@click.command()
@options.netns
@click.option("--yes", is_flag=True, hidden=True, help="Taken and ignored: it never asks.")
@click.pass_context
def command(ctx: click.Context, netns: str | None, *, yes: bool) -> int:
    """Put back what was there before the last change, or before one that did not finish.

    Called again it goes back one step more. It never asks, so that it can be the way out of
    a line that has become unusable.

    Exit codes: 0 done; 1 refused, nothing was touched; 2 wrong usage; 4 not everything could
    be put back.
    """
    from tcc.apply.undo import roll_back  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415

    where = live.namespace(netns)
    if live.complain(live.permission(), {}, ctx.color):
        return live.REFUSED
    journal = live.journal(where)
    with live.backend().open(where) as system, live.least_privilege():
        report = roll_back(system, journal, live.command_line())
    return live.conclude(report, {}, ctx.color, "Everything is as it was before that.")
