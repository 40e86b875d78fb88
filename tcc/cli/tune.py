"""`tcc tune`: search for settings that meet requirements and give the most of something."""

import sys
from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options, show, sweeping
from tcc.cli.fixing import apply_fixes
from tcc.cli.options import Failure
from tcc.diagnostics import Diagnostic, Severity, error, has_errors
from tcc.files import write_atomically
from tcc.syntax.read import STDIN

if TYPE_CHECKING:
    from tcc.diagnostics import Fix
    from tcc.facts import Facts
    from tcc.passes import Built, Given
    from tcc.source import Source
    from tcc.sweep.tune.found import Found
    from tcc.sweep.tune.goal import Wish
    from tcc.sweep.work import Setup

NOT_FOUND, INVALID, INTERRUPTED = 1, 2, 130
COARSE = 5
"""Settings that are tried at a time: more processes have nothing to do."""


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--for", "require", multiple=True, metavar="REQUIREMENT",
    help='What must hold, as `require` says it: "voice induced-latency p99 <= 5ms".',
)  # fmt: skip
@click.option("--maximise", metavar="METRIC", help="Have the most of this: egress.utilisation.")
@click.option("--minimise", metavar="METRIC", help="Have the least of this: ping.latency.p99.")
@click.option(
    "--under", metavar="LOAD",
    help="What it is measured under: \"rrul for 20s rtt 40ms\"; by default what the policy's "
    "first objective is.",
)  # fmt: skip
@click.option("--over", metavar="LINK", help="The link to tune, where there are several.")
@click.option(
    "--vary", multiple=True, metavar="PARAM=VALUES",
    help="Turn this, as `tcc sweep` does, and nothing else; between the ends of a range of rates "
    "the search goes on. By default bandwidth, rtt and memory of the link's directions.",
)  # fmt: skip
@sweeping.simulated(3, "Try every setting with N seeds; ten more confirm the choice.")
@click.option("--report", metavar="F.html", help="Write a page with what was tried, too.")
@click.option("--write", is_flag=True, help="Write the choice into the policy.")
@click.option("--json", "as_json", is_flag=True, help="Print the choice as JSON.")
@options.schema("tcc.sweep.tune.document")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917
    ctx: click.Context,
    file: str,
    require: tuple[str, ...],
    maximise: str | None,
    minimise: str | None,
    under: str | None,
    over: str | None,
    vary: tuple[str, ...],
    given: "Given",
    facts: "Facts | None",
    target: str | None,
    seed: int,
    count: int,
    resources: sweeping.Resources,
    report: str | None,
    *,
    write: bool,
    as_json: bool,
) -> int:
    """Search for settings of FILE that meet every --for and give the most of something.

    The choice is explained and shown as an edit of the policy; --write makes it. The same
    policy, options and seeds give the same choice.

    Exit codes: 0 found, 1 nothing that was tried holds, 2 the policy or the goal is invalid,
    130 interrupted by Ctrl-C or SIGTERM.
    """
    from tcc.sweep.tune.document import document  # noqa: PLC0415
    from tcc.sweep.tune.explain import diff  # noqa: PLC0415
    from tcc.sweep.tune.goal import Wish  # noqa: PLC0415
    from tcc.sweep.work import Setup  # noqa: PLC0415

    if (maximise is None) == (minimise is None):
        raise click.UsageError("say either what to --maximise or what to --minimise")
    sweeping.check_target(target)
    built = api.load(file, given)
    if has_errors(built.found):
        show.findings(built.found, built.sources, "text", ctx.color)
        return INVALID
    wish = Wish(require, maximise or minimise or "", minimise is not None, under, over)
    setup = Setup(file, given, facts, target)
    seeds = range(seed, seed + count)
    found = _search(ctx, built, setup, wish, vary, seeds, resources)
    if isinstance(found, int):
        return found
    after = _edits(built, found)
    edit = "".join(diff(built.sources[path], source) for path, source in after.items())
    if as_json:
        click.echo(document(found, edit))
    else:
        _print(found, edit)
    if report is not None:
        from tcc.cli.pages import write as write_page  # noqa: PLC0415
        from tcc.sweep.tune.page import render  # noqa: PLC0415

        write_page(report, render(found, edit))
    if write and found.choice.found:
        _write(after)
    return 0 if found.choice.found else NOT_FOUND


def _search(
    ctx: click.Context,
    built: "Built",
    setup: "Setup",
    wish: "Wish",
    vary: tuple[str, ...],
    seeds: range,
    resources: sweeping.Resources,
) -> "Found | int":
    """Search, and see what becomes of the policy's own objectives; or return the exit code."""
    from tcc.sweep.axes import read_axes  # noqa: PLC0415
    from tcc.sweep.tune.found import Found  # noqa: PLC0415
    from tcc.sweep.tune.goal import Goal, read_goal  # noqa: PLC0415
    from tcc.sweep.tune.knobs import ready  # noqa: PLC0415
    from tcc.sweep.tune.own import own  # noqa: PLC0415
    from tcc.sweep.tune.search import search  # noqa: PLC0415
    from tcc.sweep.tune.trial import TooManyError, Trials  # noqa: PLC0415

    axes, found, text = read_axes(vary)
    sources = {**built.sources, text.path: text}
    goal = read_goal(built, setup.given, wish)
    found += goal if isinstance(goal, list) else ()
    if isinstance(goal, Goal) and not has_errors(found):
        turned, more = ready(goal, setup, axes)
        found += more
    show.findings(found, sources, "text", ctx.color)
    if not isinstance(goal, Goal) or has_errors(found):
        return INVALID
    try:
        with sweeping.open_(resources, len(seeds) * COARSE) as (workers, store):
            trials = Trials(
                goal, [knob for knob, _ in turned], [place for _, place in turned], setup, store,
                workers, _tell, resources.most,
            )  # fmt: skip
            try:
                choice = search(trials, seeds)
                return Found(trials, choice, own(trials, built, choice, seeds), seeds)
            except KeyboardInterrupt:
                click.echo("interrupted while searching", err=True)
                return INTERRUPTED
            finally:
                _clear()
    except TooManyError as problem:
        show.findings([_too_many(problem, resources)], {}, "text", ctx.color)
    except sweeping.FAILURES as problem:
        show.findings([sweeping.finding(problem, resources)], {}, "text", ctx.color)
    return INVALID


def _too_many(problem: Exception, resources: sweeping.Resources) -> "Diagnostic":
    return error(
        "sweep-too-many", None,
        f"the search has done {resources.most:,} runs and needs more: {problem} by its next step",
        "write --max-runs with more, or vary less, or use fewer seeds",
    )  # fmt: skip


def _tell(settings: int) -> None:
    """Show on a terminal how many settings have been tried."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{settings} settings tried", err=True, nl=False)


def _clear() -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)


def _edits(built: "Built", found: "Found") -> "dict[str, Source]":
    """Return the files of the policy that the choice changes, with it."""
    from tcc.sweep.places import edits, places  # noqa: PLC0415

    fixes: list[Fix] = []
    for knob, value in zip(found.trials.knobs, found.choice.best.setting, strict=True):
        where = places(built, knob.axis)
        if value is not None and not isinstance(where, Diagnostic):
            fixes += edits(where, value)
    choice = Diagnostic("tuned", Severity.NOTE, "", None, fixes=tuple(fixes))
    changed = {path: apply_fixes(source, [choice]) for path, source in built.sources.items()}
    return {path: one for path, one in changed.items() if one.text != built.sources[path].text}


def _print(found: "Found", edit: str) -> None:
    from tcc.sweep.tune.explain import explained  # noqa: PLC0415

    click.echo(explained(found.trials, found.choice, found.seeds))
    for fate in found.fates:
        click.echo(f'the policy\'s objective "{fate.text}": {fate.words}')
    if edit:
        click.echo(f"\n{edit}", nl=False)


def _write(after: "dict[str, Source]") -> None:
    for path, source in after.items():
        if path == STDIN:
            raise Failure("standard input cannot be written: name a file")
        try:
            write_atomically(path, source.text.encode())
        except OSError as problem:
            raise Failure(f"{path}: {problem.strerror}") from problem
