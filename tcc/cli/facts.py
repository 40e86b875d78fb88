"""`tcc facts`: what shaping depends on, on this host."""

import click

from tcc.cli import options


@click.command()
@options.netns
@click.pass_context
def command(ctx: click.Context, netns: str | None) -> int:
    """Print what shaping depends on here, as JSON, for `--facts` of other commands.

    Kinds of qdisc are tried on a device of our own in a namespace of our own, which takes
    root or user namespaces; all the rest works for everybody. What could not be found out is
    said on standard error.

    Exit codes: 0 done; 2 wrong usage, or a namespace that cannot be entered.
    """
    from tcc.cli import live  # noqa: PLC0415
    from tcc.facts.gather import gather  # noqa: PLC0415
    from tcc.ir import document  # noqa: PLC0415

    where = live.namespace(netns)
    try:
        gathered = gather(where)
    except OSError as problem:
        raise options.Failure(f"the kernel would not tell: {problem}") from problem
    click.echo(document.text(gathered.facts, indent=2))
    for sentence in gathered.unknown:
        click.echo(f"not found out: {sentence}", err=True)
    return 0
