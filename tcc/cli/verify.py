"""`tcc verify`: run the objectives of a policy and say whether they hold."""

import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click

from tcc import api
from tcc.cli import options, policies, show
from tcc.cli import pcap as recordings
from tcc.diagnostics import has_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from tcc.facts import Facts
    from tcc.passes import Built, Given
    from tcc.verify.mend import Mender
    from tcc.verify.run import Advice, Outcome, Run
    from tcc.verify.scenario import Scenario

MISSED, INVALID, INTERRUPTED = 1, 2, 130
FORMATS = ("text", "json", "github", "junit")
PREDICTS = "reference"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
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
@options.jobs
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="How to print results."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--mend/--no-mend", default=True, show_default=True,
    help="Try changes by simulation when something is missed.",
)  # fmt: skip
@click.option(
    "--series", is_flag=True, help="Measure over time, too: --format json then carries it."
)
@click.option("--report", metavar="F.html", help="Write a page with charts, too.")
@click.option(
    "--flent", "flent", metavar="F.flent.gz",
    help="Write a data file for flent, too: one for each objective, numbered if several.",
)  # fmt: skip
@click.option(
    "--pcap", "pcap", metavar="F.pcapng",
    help="Record every packet of the first run, for Wireshark: numbered files if there are "
    "several objectives.",
)  # fmt: skip
@click.option(
    "--pcap-packets", "packets", type=click.IntRange(1), metavar="N",
    help="Packets in such a file at most, the first ones.  [default: 1000000]",
)  # fmt: skip
@click.option(
    "--from", "measurement", metavar="RUN.flent.gz",
    help="Compare the prediction with what flent measured, series by series.",
)  # fmt: skip
@click.option("--if-any", is_flag=True, help="A policy without objectives is no failure.")
@options.schema("tcc.verify.document", "--format json")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917
    ctx: click.Context,
    files: tuple[str, ...],
    given: "Given",
    facts: "Facts | None",
    verifiers: str,
    target: str | None,
    seed: int,
    repeat: int,
    jobs: int | None,
    form: str,
    report: str | None,
    flent: str | None,
    pcap: str | None,
    packets: int | None,
    measurement: str | None,
    *,
    as_json: bool,
    mend: bool,
    series: bool,
    if_any: bool,
) -> int:
    """Predict what each FILE delivers: run its objectives, judge what they require.

    Nothing of this host is read or touched, unless --verifier kernel asks for a real kernel.
    The same policy and seed print the same bytes.

    Exit codes: 0 everything held, 1 something was missed, 2 a policy is invalid or there is
    nothing to run, 130 interrupted by Ctrl-C or SIGTERM.
    """  # fmt: skip
    form = "json" if as_json else form
    if len(files) > 1 and form in ("json", "junit"):
        raise click.UsageError(f"--format {form} prints one document: name one file")
    if len(files) > 1 and (report or flent or pcap or measurement):
        raise click.UsageError(
            "--report, --flent, --pcap and --from are about one policy: name one file"
        )
    seeds = range(seed, seed + repeat)
    names = tuple(dict.fromkeys(verifiers.split(",")))
    recordings.check(pcap, packets, names, PREDICTS)
    sampling = series or report is not None or flent is not None
    beside = Beside(report, flent, pcap, packets, measurement)
    task = Task(ctx.color, facts, names, target, seeds, jobs, mend, if_any, sampling, beside)
    if "reference" in names:
        _say_if_slow()
    codes = []
    with _terminable():
        for file in files:
            built = policies.load(file, given, complete=True)
            codes.append((_compare if measurement else _verify)(file, built, task, form))
            if codes[-1] == INTERRUPTED:
                break
    return max(codes)


@contextmanager
def _terminable() -> "Iterator[None]":
    """Let SIGTERM do what Ctrl-C does: guests, workers and namespaces come to an end."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say_if_slow() -> None:
    """Say on standard error when the engine runs interpreted; results are the same."""
    from tcc.engine import compiled  # noqa: PLC0415

    if not compiled():
        click.echo("the engine runs interpreted, which is slow: `tcc doctor` tells why", err=True)


class Beside(NamedTuple):
    """Files beside the policy: what is written, how much, and a measurement that is read."""

    report: str | None
    flent: str | None
    pcap: str | None
    packets: int | None
    measurement: str | None


class Task(NamedTuple):
    """What the options ask for."""

    color: bool | None
    facts: "Facts | None"
    verifiers: tuple[str, ...]
    target: str | None
    seeds: range
    jobs: int | None
    mend: bool
    if_any: bool
    sampling: bool
    beside: Beside


def _verify(file: str, built: "Built", task: Task, form: str) -> int:
    """Run one policy's objectives and print the results; return the exit code."""
    if task.if_any and built.policy is not None and not built.policy.objectives:
        show.findings(built.found, built.sources, "text", task.color)
        return INVALID if has_errors(built.found) else 0
    outcomes: list[Outcome] = []
    code = 0
    for verifier in task.verifiers:
        scenarios = _scenarios(built, verifier, task)
        if not scenarios:
            return INVALID
        with _recorded(verifier, scenarios, task) as watched:
            found, code = _run(verifier, watched, built, task)
        outcomes += found
        if code:
            break
    outcomes.sort(key=lambda outcome: outcome.runs[0].scenario.index)
    _print(file, task.target, built, outcomes, form)
    _write(file, built, outcomes, task)
    if code:
        return code
    return 0 if all(outcome.held for outcome in outcomes) else MISSED


def _compare(file: str, built: "Built", task: Task, form: str) -> int:
    """Predict the objective that flent measured, and print both; return the exit code."""
    from tcc.cli import flent  # noqa: PLC0415

    scenarios = _scenarios(built, PREDICTS, task)
    matched = flent.matched(task.beside.measurement or "", scenarios, task.color)
    if matched is None:
        return INVALID
    data, scenario = matched
    with _recorded(PREDICTS, [scenario], task) as watched:
        outcomes, code = _run(PREDICTS, watched, built, task)
    recordings.tell(outcomes)
    if code:
        return code
    outcomes.append(flent.measured(outcomes[0], data))
    if form == "text":
        click.echo(flent.text(outcomes[0], outcomes[1]))
    else:
        _print(file, task.target, built, outcomes, form)
    if task.beside.report is not None:
        from tcc.cli.pages import write_comparison  # noqa: PLC0415

        write_comparison(task.beside.report, file, outcomes, task.target)
    same = flent.alike(outcomes[0], outcomes[1])
    return 0 if same and all(outcome.held for outcome in outcomes) else MISSED


def _recorded(
    verifier: str, scenarios: "Sequence[Scenario]", task: Task
) -> "AbstractContextManager[Sequence[Scenario]]":
    """Have the first run of each scenario recorded, if that was asked for."""
    path = task.beside.pcap if verifier == PREDICTS else None
    return recordings.recording(path, task.beside.packets, scenarios, task.seeds[0])


def _write(file: str, built: "Built", outcomes: "Sequence[Outcome]", task: Task) -> None:
    """Write what was asked for besides what is printed; say what was recorded."""
    recordings.tell(outcomes)
    if task.beside.report is not None:
        from tcc.cli.pages import write_page  # noqa: PLC0415

        write_page(task.beside.report, file, built, outcomes, task.facts, task.target)
    if task.beside.flent is not None:
        from tcc.cli.flent import write_files  # noqa: PLC0415

        write_files(task.beside.flent, outcomes)


def _scenarios(built: "Built", verifier: str, task: Task) -> "Sequence[Scenario]":
    """Return what is to be run; nothing, with the reasons printed, where something forbids it."""
    from tcc.plugin import BACKENDS, VERIFIERS, PluginError, names  # noqa: PLC0415

    known = names(VERIFIERS)
    if verifier not in known:
        raise click.UsageError(f"there is no verifier `{verifier}`; there are {', '.join(known)}")
    if task.target is not None and task.target not in names(BACKENDS):
        there = ", ".join(names(BACKENDS))
        raise click.UsageError(f"there is no back end `{task.target}`; there are {there}")
    try:
        scenarios, found = api.scenarios(built, verifier, task.facts, task.target)
    except PluginError as problem:
        raise click.UsageError(str(problem)) from problem
    show.findings(found, built.sources, "text", task.color)
    if has_errors(found):
        return ()
    return [replace(one, sampling=task.sampling) for one in scenarios]


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
    verifier: str, scenarios: "Sequence[Scenario]", built: "Built", task: Task
) -> "tuple[list[Outcome], int]":
    """Return what one verifier made of each objective, and the exit code if it was cut short."""
    from tcc.verify.measured import MeasureError  # noqa: PLC0415
    from tcc.verify.run import Order, Outcome, advise, run_all  # noqa: PLC0415

    count = len(scenarios) * len(task.seeds)
    jobs = task.jobs or min(os.cpu_count() or 1, count)
    predicts = task.mend and verifier == PREDICTS
    mender = _mender(built, task.facts, task.target) if predicts else None
    results: list[list[Run]] = []
    failed = ""
    try:
        for runs in run_all(Order(verifier, scenarios, task.seeds, jobs), _progress):
            results.append(runs)
    except MeasureError as problem:
        failed = f"Error: {verifier}: {problem}"
    whole = bool(failed) or sum(map(len, results)) == count
    outcomes = []
    for runs in results:
        advice: Sequence[Advice] = ()
        if whole:
            try:
                advice = advise(runs, mender, _trying)
            except KeyboardInterrupt:
                whole = False  # what was measured is printed, without what would mend it
        outcomes.append(Outcome(tuple(runs), tuple(advice)))
    _clear()
    if failed:
        click.echo(failed, err=True)
        return outcomes, INVALID
    if whole and not any(outcome.interrupted for outcome in outcomes):
        return outcomes, 0
    ended = sum(not run.measured.interrupted for runs in results for run in runs)
    click.echo(f"interrupted: {ended} of {count} runs came to their end", err=True)
    return outcomes, INTERRUPTED


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
        from tcc.verify.compare import side_by_side  # noqa: PLC0415
        from tcc.verify.text import objective_text  # noqa: PLC0415

        blocks = [objective_text(outcome) for outcome in outcomes]
        if blocks:
            click.echo("\n\n".join(filter(None, (*blocks, side_by_side(outcomes)))))


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
