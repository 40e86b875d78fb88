"""`tcc apply`: make a policy, or a plan made from one, so."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tcc.cli import options, plan, policies
from tcc.diagnostics import error
from tcc.passes import Built
from tcc.source import Source
from tcc.syntax.read import read_source

if TYPE_CHECKING:
    from tcc.passes import Given


@click.command()
@click.argument("file", metavar="FILE or PLAN")
@options.values
@options.netns
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.confirm
@click.option("--dry-run", is_flag=True, help="Only print the plan, as `tcc plan` does.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    given: "Given",
    netns: str | None,
    confirm: int | None,
    *,
    yes: bool,
    dry_run: bool,
) -> int:
    """Make what the policy FILE says so, or carry out a PLAN kept by `tcc plan --out`.

    Everything happens or nothing: what goes wrong on the way is undone at once, and
    `tcc rollback` undoes the rest. A second apply finds nothing to do and sends nothing.

    With --confirm it is undone by itself after that time, unless `tcc confirm` comes: even if
    the line, the terminal or tcc is gone by then. While one such change is pending, another
    one with --confirm goes on with it: the time begins anew, and all is undone together.

    Exit codes: 0 done, or nothing to do; 1 refused, nothing was touched; 2 wrong usage;
    3 failed, and everything was put back; 4 failed, and not everything could be put back.
    """
    from tcc.apply.saved import is_plan  # noqa: PLC0415

    source = read_source(file)
    if isinstance(source, Source) and is_plan(source.text):
        return _carry_out_saved(ctx, source, netns, confirm, yes=yes)
    policy = source if isinstance(source, Source) else file
    built = policies.load(policy, given, complete=True)
    if dry_run:
        return plan.run(ctx, built, plan.Asked(file), None, netns)
    return _carry_out(ctx, built, Asked(file, netns, confirm, yes))


@dataclass(frozen=True, slots=True)
class Asked:
    """How a policy shall be carried out."""

    file: str
    netns: str | None
    confirm: int | None
    yes: bool


def _carry_out(ctx: click.Context, built: Built, asked: Asked) -> int:
    from tcc.cli import live  # noqa: PLC0415
    from tcc.plan.diff import diff  # noqa: PLC0415

    where = live.namespace(asked.netns)
    if live.complain(built.found, built.sources, ctx.color):
        return live.REFUSED
    if live.complain(live.permission(), {}, ctx.color):
        return live.REFUSED
    wanted = live.and_leftovers(live.lower(built, live.host_facts(where)), where)
    rest = [found for found in wanted.found if found not in built.found]
    if live.complain(rest, built.sources, ctx.color):
        return live.REFUSED
    backend = live.backend()
    with backend.open(where) as system:
        made = diff(system.observe(wanted.state), wanted.state, system)
        policy = live.policy_text(built, asked.file, where)
        change = live.Change(ctx, system, where, wanted.links, built, policy, asked.confirm)
        return change.run(made, yes=asked.yes)


def _carry_out_saved(
    ctx: click.Context, source: Source, netns: str | None, confirm: int | None, *, yes: bool
) -> int:
    from tcc.apply.saved import UnreadablePlanError, from_text  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415

    where = live.namespace(netns)
    if live.complain(live.permission(), {}, ctx.color):
        return live.REFUSED
    with live.backend().open(where) as system:
        try:
            saved = from_text(source.text, system)
        except UnreadablePlanError as problem:
            found = error("plan-unreadable", None, f"{source.path} holds no plan: {problem}",
                          "make it again: tcc plan FILE --out PLAN")  # fmt: skip
            live.complain([found], {}, ctx.color)
            return live.REFUSED
        system.observe(saved.plan.wanted)  # find the devices
        change = live.Change(ctx, system, where, saved.links, confirm=confirm)
        return change.run(saved.plan, yes=yes)
