"""`tcc plugins`: what is installed, and from where."""

from collections.abc import Callable
from importlib.metadata import EntryPoint

import click

from tcc import plugin

LOADERS: dict[str, Callable[[str], object]] = {
    plugin.QDISCS: plugin.qdisc,
    plugin.BACKENDS: plugin.backend,
    plugin.VERIFIERS: plugin.verifier,
}


@click.command()
@click.option("--no-load", is_flag=True, help="Only list them: no plugin's code is run.")
def command(*, no_load: bool) -> int:
    """List plugins by group, with the distribution that each came with.

    A plugin that cannot be loaded is reported and does not end the list.

    Exit codes: 0 all of them load, 1 some do not.
    """
    rows: list[tuple[str, str, str, str]] = []
    broken = False
    for group, load in LOADERS.items():
        for name, points in sorted(plugin.registered(group).items()):
            state = "" if no_load else _state(load, name)
            broken = broken or bool(state)
            rows += [(group, name, _origin(point), state) for point in points]
    widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[3]]).rstrip())
    return int(broken)


def _origin(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "unknown distribution"


def _state(load: Callable[[str], object], name: str) -> str:
    try:
        load(name)
    except plugin.PluginError as problem:
        return f"BROKEN: {problem}"
    return ""
