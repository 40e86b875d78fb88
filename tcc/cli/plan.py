"""`tcc plan`: what would change."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tcc.cli import options, policies, show
from tcc.diagnostics import Diagnostic, has_errors

if TYPE_CHECKING:
    from tcc.cli.live import Wanted
    from tcc.facts import Facts
    from tcc.netlink.namespace import Namespace
    from tcc.passes import Built, Given
    from tcc.plan.operation import Plan

CHANGES, FAILED = 2, 1


@click.command()
@click.argument("file")
@options.values
@options.facts
@options.netns
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
@click.option("--out", metavar="PLAN", help="Keep the plan in this file, for `tcc apply PLAN`.")
@click.option("--explain", is_flag=True, help="Say what became of every clause, and why.")
@click.option("--detailed-exitcode", is_flag=True, help="Exit with 2 when there are changes.")
@click.pass_context
def command(  # noqa: PLR0913
    ctx: click.Context,
    file: str,
    given: "Given",
    facts: "Facts | None",
    netns: str | None,
    out: str | None,
    *,
    as_json: bool,
    explain: bool,
    detailed_exitcode: bool,
) -> int:
    """Compare the policy FILE with what is there, and change nothing.

    With --facts, what was there when the facts were taken: that needs neither root nor the
    host itself.

    Exit codes: 0 done; 2 there are changes, only with --detailed-exitcode; 1 anything else.
    """
    if facts is not None and netns is not None:
        raise click.UsageError("--facts and --netns are about two hosts: give one of them")
    asked = Asked(file, out, as_json, explain, detailed_exitcode)
    return run(ctx, policies.load(file, given, complete=True), asked, facts, netns)


@dataclass(frozen=True, slots=True)
class Asked:
    """What shall be done with the plan for `file`."""

    file: str
    out: str | None = None
    as_json: bool = False
    explain: bool = False
    detailed_exitcode: bool = False


def run(
    ctx: click.Context, built: "Built", asked: Asked, facts: "Facts | None", netns: str | None
) -> int:
    """Print the plan for a policy; exit codes as the command's."""
    from tcc.cli import live  # noqa: PLC0415  (looks through installed distributions)

    where = live.namespace(netns)
    if has_errors(built.found) or built.policy is None:
        live.complain(built.found, built.sources, ctx.color)
        return FAILED
    wanted = live.lower(built, facts if facts is not None else live.host_facts(where))
    found = list(wanted.found)
    if facts is None:
        wanted = live.and_leftovers(wanted, where)
        found += [*live.left_unfinished(where), *live.set_since(where)]
    if live.complain(found, built.sources, ctx.color):
        return FAILED
    plan, obstacles = _plan(wanted, facts, where)
    if live.complain(obstacles, built.sources, ctx.color):
        return FAILED
    _print(plan, asked)
    if asked.explain:
        show.lines(_explained(built, wanted.facts))
    if asked.out is not None:
        _save(asked, plan, wanted.links)
    return CHANGES if plan and asked.detailed_exitcode else 0


def _plan(
    wanted: "Wanted", facts: "Facts | None", where: "Namespace | None"
) -> "tuple[Plan, Sequence[Diagnostic]]":
    from tcc.cli import live  # noqa: PLC0415
    from tcc.plan.diff import diff  # noqa: PLC0415

    backend = live.backend()
    if facts is not None:
        return diff(backend.recorded(facts, wanted.state), wanted.state, backend), ()
    with backend.open(where) as system:
        plan = diff(system.observe(wanted.state), wanted.state, system)
        return plan, system.obstacles(plan)


def _print(plan: "Plan", asked: Asked) -> None:
    from tcc.cli.live import describe  # noqa: PLC0415
    from tcc.plan.render import as_json, as_text  # noqa: PLC0415

    if asked.as_json:
        click.echo(json.dumps(as_json(plan, describe), indent=2))
    else:
        show.lines(as_text(plan, describe))


def _save(asked: Asked, plan: "Plan", links: "Mapping[str, str]") -> None:
    from tcc import __version__  # noqa: PLC0415
    from tcc.apply.saved import Saved, to_text  # noqa: PLC0415
    from tcc.cli.live import describe  # noqa: PLC0415
    from tcc.files import put  # noqa: PLC0415

    text = to_text(Saved(plan, asked.file, links), describe, f"tcc {__version__}")
    if asked.out == "-":
        click.echo(text, nl=False)
        return
    try:
        put(str(asked.out), text.encode())
    except OSError as problem:
        raise options.Failure(f"{asked.out}: {problem.strerror}") from problem


def _explained(built: "Built", facts: "Facts | None") -> str:
    """Return what every clause became, by link, device and direction."""
    from tcc.lower.kernel import lower_for_kernel  # noqa: PLC0415

    lines: list[str] = []
    if built.policy is None:
        return ""
    for one in lower_for_kernel(built.policy, facts, built.spans).lowered:
        lines.append(f"\n{one.wish.link.name}: {one.wish.device.name} {one.wish.direction}")
        for said in one.explained:
            because = f"  ({said.because})" if said.because else ""
            lines.append(f"  {said.clause} -> {said.became}{because}")
    return "\n".join(lines)
