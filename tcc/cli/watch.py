"""`tcc watch`: keep policies applied while links come and go."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tcc.cli import options
from tcc.diagnostics import error, has_errors

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.netlink.namespace import Namespace
    from tcc.passes import Given
    from tcc.watch.keeper import Keeper
    from tcc.watch.log import Log
    from tcc.watch.policies import Files

FAILED = 1


@click.command()
@click.argument("policies", metavar="POLICY...", nargs=-1, required=True)
@options.values
@options.netns
@click.option("--once", is_flag=True, help="Look once, make it so, and end: for hooks.")
@click.option("--yes", is_flag=True, hidden=True, help="Taken and ignored: it never asks.")
@click.pass_context
def command(
    ctx: click.Context,
    policies: tuple[str, ...],
    given: "Given",
    netns: str | None,
    *,
    once: bool,
    yes: bool,
) -> int:
    """Keep policies applied: after a reconnect, a rename, or when somebody replaces a qdisc.

    It sleeps until the kernel tells of a change, looks at what is there, and repairs what
    differs, within a second; where nothing differs nothing is sent. Whoever keeps changing a
    device is let go first for longer and longer. SIGHUP reads the policies again, SIGTERM ends.

    A policy that was applied with --confirm and not confirmed, or was rolled back, does not
    come back by this: what was confirmed before is kept in its place.

    Exit codes: 0 ended by a signal; with --once everything is as wanted; 1 a policy has errors,
    or with --once something could not be done; 2 wrong usage.
    """
    from tcc.cli import live  # noqa: PLC0415
    from tcc.watch.log import Log  # noqa: PLC0415

    where = live.namespace(netns)
    if live.complain(live.permission(), {}, ctx.color):
        return FAILED
    log = Log()
    files = _files(policies, given, where, log)
    found, sources = files.read()
    if live.complain(found, sources, ctx.color):
        return FAILED
    keeper = _keeper(files, where)
    return _once(keeper) if once else _forever(ctx, keeper, files, where)


def _files(
    policies: tuple[str, ...], given: "Given", where: "Namespace | None", log: "Log"
) -> "Files":
    from tcc.cli import live  # noqa: PLC0415
    from tcc.status import settings  # noqa: PLC0415
    from tcc.watch.policies import Files, Host  # noqa: PLC0415

    journal = live.journal(where)
    host = Host(
        lambda known: _facts(where, known),
        live.lower,
        lambda state: live.and_leftovers(live.Wanted(state, {}, ()), where).state,
        lambda state: settings.read(journal).over(state),
    )
    space = "" if where is None else where.path.name
    return Files(policies, given, space, journal, host, log)


def _facts(where: "Namespace | None", known: "Facts | None") -> "Facts":
    """Return the host's facts; what the kernel can do is not tried again."""
    from tcc.cli import live  # noqa: PLC0415
    from tcc.facts.devices import devices  # noqa: PLC0415
    from tcc.netlink.transport import RouteSocket  # noqa: PLC0415

    if known is None:
        return live.host_facts(where)
    with RouteSocket(where) as route:
        return replace(known, devices=devices(route, namespace=where))


def _keeper(files: "Files", where: "Namespace | None") -> "Keeper":
    from tcc.cli import live  # noqa: PLC0415
    from tcc.watch.keeper import Keeper  # noqa: PLC0415

    return Keeper(live.backend(), where, files.journal, files, files.log)


def _once(keeper: "Keeper") -> int:
    """Look until nothing is left to do, or something cannot be done."""
    import time  # noqa: PLC0415

    end = time.monotonic() + 30
    while (wait := keeper.look({})) is not None:
        if keeper.failed or keeper.on_trial or time.monotonic() + wait > end:
            return FAILED
        time.sleep(wait)
    return 0


def _forever(
    ctx: click.Context, keeper: "Keeper", files: "Files", where: "Namespace | None"
) -> int:
    from tcc.apply import lock  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415
    from tcc.watch.listening import Listener  # noqa: PLC0415
    from tcc.watch.loop import Loop  # noqa: PLC0415
    from tcc.watch.notify import Notify  # noqa: PLC0415
    from tcc.watch.who import who  # noqa: PLC0415

    def reload() -> None:
        found, _ = files.read()
        for one in found:
            files.log.finding(one)
        said = "has errors, and stays as it was" if has_errors(found) else "is read again"
        files.log.info(f"SIGHUP: what is to be kept {said}")

    try:
        files.journal.prepare()
        with (
            lock.held(files.journal.path / "watch", live.command_line(), 0.0),
            Listener(where) as listener,
        ):
            loop = Loop(
                keeper, listener, Notify(), files.interest, reload, lambda port: who(port, where)
            )
            loop.run()
    except lock.BusyError as problem:
        found = error("watch-busy", None, f"this namespace is watched already: {problem}",
                      "one watch can keep several policies")  # fmt: skip
        live.complain([found], {}, ctx.color)
        return FAILED
    return 0
