"""`tcc rollback`: what was there before."""

from typing import TYPE_CHECKING

import click

from tcc.cli import options, show

if TYPE_CHECKING:
    from tcc.apply.journal import Journal


@click.command()
@options.netns
@click.option("--steps", metavar="N", type=click.IntRange(min=1), help="Go back N changes.")
@click.option("--list", "listed", is_flag=True, help="Only list the changes, the newest first.")
@click.option("--yes", is_flag=True, hidden=True, help="Taken and ignored: it never asks.")
@click.pass_context
def command(
    ctx: click.Context, netns: str | None, steps: int | None, *, listed: bool, yes: bool
) -> int:
    """Put back what was there before the last change, or before one that did not finish.

    Called again it goes back one step more. With --steps it goes straight to what was there
    before the last N changes; nothing in between is ever there again. Changes that wait to
    be confirmed (`apply --confirm`) go back together. The last twenty changes are known.

    It never asks, so that it can be the way out of a line that has become unusable.

    Exit codes: 0 done; 1 refused, nothing was touched; 2 wrong usage; 4 not everything could
    be put back.
    """
    from tcc.apply import guarding  # noqa: PLC0415
    from tcc.apply.undo import roll_back  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415

    where = live.namespace(netns)
    journal = live.journal(where)
    if listed:
        return _list(ctx, journal)
    if live.complain(live.permission(), {}, ctx.color):
        return live.REFUSED
    with live.backend().open(where) as system, live.least_privilege():
        report = roll_back(system, journal, live.command_line(), steps)
        guarding.wake(journal)
    return live.conclude(report, {}, ctx.color, "Everything is as it was before that.")


def _list(ctx: click.Context, journal: "Journal") -> int:
    from tcc.apply.history import lines  # noqa: PLC0415
    from tcc.apply.stored import DamagedError  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415
    from tcc.diagnostics import error  # noqa: PLC0415

    try:
        listed = lines(journal)
    except (OSError, DamagedError) as problem:
        live.complain([error("state-unusable", None, str(problem))], {}, ctx.color)
        return live.REFUSED
    for line in listed or ["No change is remembered."]:
        show.lines(line)
    return 0
