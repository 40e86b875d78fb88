"""`tcc confirm`: keep what `apply --confirm` did."""

import click

from tcc.cli import options


@click.command()
@options.netns
@click.option("--yes", is_flag=True, hidden=True, help="Taken and ignored: it never asks.")
@click.pass_context
def command(ctx: click.Context, netns: str | None, *, yes: bool) -> int:
    """Keep what `tcc apply --confirm` did: nothing undoes it by itself any more.

    It never asks.

    Exit codes: 0 done; 1 there is nothing to confirm, or it is too late; 2 wrong usage.
    """
    from tcc.apply.confirming import confirm  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415

    where = live.namespace(netns)
    if live.complain(live.permission(), {}, ctx.color):
        return live.REFUSED
    journal = live.journal(where)
    with live.least_privilege():
        report = confirm(journal, live.command_line())
    return live.conclude(report, {}, ctx.color, "Confirmed. `tcc rollback` still undoes it.")
