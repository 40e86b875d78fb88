"""`tcc sweep`: verify a policy over a grid of parameters."""

from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options, policies, show, sweeping
from tcc.diagnostics import has_errors

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Given
    from tcc.sweep.result import Swept

MISSED, INVALID = 1, 2


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--vary", "vary", multiple=True, metavar="PARAM=VALUES",
    help="What varies: a `let` or `param`, a path such as wan.egress.bandwidth, or `workload`; "
    "and its values: 10ms,80ms or 10mbit..50mbit/5 (five, evenly spaced).",
)  # fmt: skip
@sweeping.simulated(1, "Run every point with N seeds, one after the other from --seed.")
@click.option(
    "--report", metavar="F.html", help="Write a page with heat maps and Pareto fronts, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@options.schema("tcc.sweep.document")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917
    ctx: click.Context,
    file: str,
    vary: tuple[str, ...],
    given: "Given",
    facts: "Facts | None",
    target: str | None,
    seed: int,
    count: int,
    resources: sweeping.Resources,
    report: str | None,
    *,
    as_json: bool,
) -> int:
    """Verify FILE over a grid: every value of every --vary, every objective, every seed.

    Each result is appended to --out as it comes. The same command again, after a Ctrl-C or a
    crash, runs only what is not there yet.

    Exit codes: 0 everything held everywhere, 1 something was missed or could not be run
    somewhere, 2 the policy or the grid is invalid or the sweep could not go on, 130 interrupted
    by Ctrl-C or SIGTERM.
    """
    from tcc.sweep.axes import read_axes  # noqa: PLC0415
    from tcc.sweep.plan import plan  # noqa: PLC0415
    from tcc.sweep.work import Setup  # noqa: PLC0415

    sweeping.check_target(target)
    axes, found, text = read_axes(vary)
    given = policies.below(file, given)
    built = api.load(file, given)
    grid = None
    if not has_errors((*found, *built.found)):
        setup = Setup(file, given, facts, target)
        grid, found = plan(built, setup, axes, range(seed, seed + count), resources.most)
    else:
        found += built.found
    show.findings(found, {**built.sources, text.path: text}, "text", ctx.color)
    if grid is None:
        return INVALID
    swept, code = sweeping.run(grid, resources, ctx.color)
    if swept is not None:
        _print(swept, as_json)
        if report is not None:
            from tcc.cli.pages import write  # noqa: PLC0415
            from tcc.sweep.page import render  # noqa: PLC0415

            write(report, render(swept))
    if code or swept is None:
        return code
    if not swept.runnable:
        return INVALID
    return 0 if swept.held else MISSED


def _print(swept: "Swept", as_json: bool) -> None:
    if as_json:
        from tcc.sweep.document import document  # noqa: PLC0415

        click.echo(document(swept))
    else:
        from tcc.sweep.text import sweep_text  # noqa: PLC0415

        click.echo(sweep_text(swept))
