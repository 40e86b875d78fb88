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
    from tcc.passes import Built, Given
    from tcc.verify.mend import Mender
    from tcc.verify.run import Outcome
    from tcc.verify.scenario import Scenario

MISSED, INVALID, INTERRUPTED = 1, 2, 130
FORMATS = ("text", "json", "github", "junit")
PREDICTS = "reference"


def _print_schema(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from tcc.verify.document import SCHEMA  # noqa: PLC0415

        click.echo(SCHEMA.read_text(), nl=False)
        ctx.exit()


@click.command()
@click.argument("file")
@options.values
@options.facts
@click.option(
    "--verifier", "verifiers", default=PREDICTS, show_default=True, metavar="NAMES",
    help="Which plugins measure, with commas: reference, kernel.",
)  # fmt: skip
@click.option("--target", metavar="BACKEND", help="Run what this back end would configure.")
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
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="How to print results."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--mend/--no-mend", default=True, show_default=True,
    help="Try changes by simulation when something is missed.",
)  # fmt: skip
@click.option(
    "--schema", is_flag=True, is_eager=True, expose_value=False, callback=_print_schema,
    help="Print the JSON Schema of --format json, and end.",
)  # fmt: skip
@click.pass_context
def command(  # noqa: PLR0913, PLR0917
    ctx: click.Context,
    file: str,
    given: "Given",
    facts: "Facts | None",
    verifiers: str,
    target: str | None,
    seed: int,
    repeat: int,
    jobs: int | None,
    form: str,
    *,
    as_json: bool,
    mend: bool,
) -> int:
    """Predict what FILE delivers: run its objectives, judge what they require.

    Nothing of this host is read or touched, unless --verifier kernel asks for a real kernel.
    The same policy and seed print the same bytes.

    Exit codes: 0 everything held, 1 something was missed, 2 the policy is invalid or there is
    nothing to run, 130 interrupted.
    """  # fmt: skip
    built = api.load(file, given, complete=True)
    outcomes: list[Outcome] = []
    whole = True
    for verifier in dict.fromkeys(verifiers.split(",")):
        scenarios = _scenarios(ctx, built, verifier, facts, target)
        if not scenarios:
            return INVALID
        workers = jobs or min(os.cpu_count() or 1, len(scenarios) * repeat)
        mender = _mender(built, facts, target) if mend and verifier == PREDICTS else None
        found = _run(verifier, scenarios, range(seed, seed + repeat), workers, mender)
        outcomes += found
        runs = [run for outcome in found for run in outcome.runs]
        whole = len(runs) == len(scenarios) * repeat and not any(one.interrupted for one in found)
        if not whole:
            break
    outcomes.sort(key=lambda outcome: outcome.runs[0].scenario.index)
    _print(file, target, built, outcomes, "json" if as_json else form)
    if not whole:
        return INTERRUPTED
    return 0 if all(outcome.held for outcome in outcomes) else MISSED


def _scenarios(
    ctx: click.Context, built: "Built", verifier: str, facts: "Facts | None", target: str | None
) -> "Sequence[Scenario]":
    """Return what is to be run; nothing, with the reasons printed, where something forbids it."""
    from tcc.plugin import BACKENDS, VERIFIERS, PluginError, names  # noqa: PLC0415

    known = names(VERIFIERS)
    if verifier not in known:
        raise click.UsageError(f"there is no verifier `{verifier}`; there are {', '.join(known)}")
    if target is not None and target not in names(BACKENDS):
        there = ", ".join(names(BACKENDS))
        raise click.UsageError(f"there is no back end `{target}`; there are {there}")
    try:
        scenarios, found = api.scenarios(built, verifier, facts, target)
    except PluginError as problem:
        raise click.UsageError(str(problem)) from problem
    show.findings(found, built.sources, "text", ctx.color)
    return () if has_errors(found) else scenarios


def _mender(built: "Built", facts: "Facts | None", target: str | None) -> "Mender":
    from tcc import plugin  # noqa: PLC0415
    from tcc.verify.mend import Mender  # noqa: PLC0415
    from tcc.verify.prepare import prepare  # noqa: PLC0415

    assert built.policy is not None
    return Mender(
        built.policy,
        lambda policy: prepare(policy, facts, built.spans, target)[0],
        plugin.verifier(PREDICTS).measure,
    )


def _run(
    verifier: str,
    scenarios: "Sequence[Scenario]",
    seeds: range,
    jobs: int,
    mender: "Mender | None",
) -> "list[Outcome]":
    from tcc.verify.run import Order, Outcome, advise, run_all  # noqa: PLC0415

    results = list(run_all(Order(verifier, scenarios, seeds, jobs), _progress))
    outcomes = []
    for runs in results:
        advice = advise(runs, mender, _trying)
        outcomes.append(Outcome(tuple(runs), tuple(advice)))
    _clear()
    return outcomes


def _print(
    file: str, target: str | None, built: "Built", outcomes: "Sequence[Outcome]", form: str
) -> None:
    if form == "json":
        from tcc.verify.document import document  # noqa: PLC0415

        click.echo(document(file, target, outcomes))
    elif form == "github":
        from tcc.verify.github import render  # noqa: PLC0415

        click.echo(render(outcomes, built.spans, built.sources), nl=False)
    elif form == "junit":
        from tcc.verify.junit import render as as_xml  # noqa: PLC0415

        click.echo(as_xml(file, outcomes), nl=False)
    else:
        from tcc.verify.text import objective_text  # noqa: PLC0415

        click.echo("\n\n".join(objective_text(outcome) for outcome in outcomes))


def _progress(done: int, total: int) -> None:
    """Show on a terminal how far it is."""
    if sys.stderr.isatty():
        width = 30
        bar = "#" * (width * done // total)
        click.echo(f"\r[{bar:{width}}] {done} of {total} runs", err=True, nl=False)


def _trying() -> None:
    """Say on a terminal that changes are tried."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[Ktrying what would mend it", err=True, nl=False)


def _clear() -> None:
    """Take the progress off a terminal."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
