"""`tcc verify`: run the objectives of a policy and say whether they hold."""

import os
import sys
from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options, show
from tcc.diagnostics import has_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcc.facts import Facts
    from tcc.passes import Given
    from tcc.verify.run import Run

MISSED, INVALID, INTERRUPTED = 1, 2, 130


@click.command()
@click.argument("file")
@options.values
@options.facts
@click.option("--verifier", default="reference", metavar="NAME", help="Which plugin measures.")
@click.option("--seed", default=1, metavar="N", help="Of the first run.", show_default=True)
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Run every objective with N seeds, one after the other from --seed.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="Processes to use; by default as many as there are processors.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all results as JSON.")
@click.pass_context
def command(  # noqa: PLR0913
    ctx: click.Context,
    file: str,
    given: "Given",
    facts: "Facts | None",
    verifier: str,
    seed: int,
    repeat: int,
    jobs: int | None,
    *,
    as_json: bool,
) -> int:
    """Predict what FILE delivers: run its objectives, judge what they require.

    Nothing of this host is read or touched. The same policy and seed print the same bytes.

    Exit codes: 0 everything held, 1 something was missed, 2 the policy is invalid or there is
    nothing to run, 130 interrupted.
    """  # fmt: skip
    from tcc.verify.run import run_all  # noqa: PLC0415

    built = api.load(file, given, complete=True)
    scenarios, found = api.scenarios(built, verifier, facts)
    show.findings(found, built.sources, "text", ctx.color)
    if has_errors(found) or not scenarios:
        return INVALID
    seeds = range(seed, seed + repeat)
    workers = jobs or min(os.cpu_count() or 1, len(scenarios) * repeat)
    results = list(run_all(verifier, scenarios, seeds, workers, _progress))
    _print(file, results, as_json=as_json)
    runs = [run for of_objective in results for run in of_objective]
    if len(runs) < len(scenarios) * repeat or any(run.measured.interrupted for run in runs):
        return INTERRUPTED
    held = all(verdict.holds for run in runs for verdict in run.verdicts)
    return 0 if held else MISSED


def _print(file: str, results: "Sequence[Sequence[Run]]", *, as_json: bool) -> None:
    from tcc.verify.document import document  # noqa: PLC0415
    from tcc.verify.text import objective_text  # noqa: PLC0415

    if as_json:
        click.echo(document(file, results))
        return
    click.echo("\n\n".join(objective_text(runs) for runs in results))


def _progress(done: int, total: int) -> None:
    """Show on a terminal how far it is; say once that an interpreted engine is slow."""
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {total} runs", err=True, nl=done == total)
