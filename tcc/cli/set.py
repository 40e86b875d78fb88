"""`tcc set`: one live change of a running link."""

import json
import sys
from typing import TYPE_CHECKING, Final, Literal, cast

import click

from tcc.cli import options, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcc.apply.journal import Journal
    from tcc.apply.system import System
    from tcc.netlink.transport import RouteSocket
    from tcc.source import Source
    from tcc.status.altering import Altered, Goal

PARTS: Final = 3
FORBIDDEN: Final = frozenset('{};#\n\r"')
DIRECTIONS: Final = ("egress", "ingress")


@click.command(name="set")
@click.argument("what", metavar="LINK.DIRECTION.CLAUSE")
@click.argument("value", metavar="VALUE", nargs=-1)
@options.netns
@click.option("--json", "as_json", is_flag=True, help="Print what was altered as JSON.")
@click.pass_context
def command(
    ctx: click.Context, what: str, value: tuple[str, ...], netns: str | None, *, as_json: bool
) -> int:
    """Alter one thing of a link that was applied, while it runs: no packet is lost.

    Such as `tcc set wan.egress.bandwidth 18mbit`. With `-` in place of both, each line of
    standard input is one such pair, for a daemon that sets often. It holds until the next
    apply; `tcc status` lists it, and does not call it drift.

    Exit codes: 0 done, or so already; 1 refused, nothing was touched; 2 wrong usage;
    3 failed, and put back; 4 failed, and not put back.
    """
    from tcc.cli import live  # noqa: PLC0415

    where = live.namespace(netns)
    if what == "-":
        if value:
            raise click.UsageError("with - there is no value: lines of standard input hold them")
    elif not value:
        raise click.UsageError("there is no value: write such as `wan.egress.bandwidth 18mbit`")
    if live.complain(live.permission(), {}, ctx.color):
        return live.REFUSED
    from tcc.netlink.transport import RouteSocket  # noqa: PLC0415

    with live.backend().open(where) as system, RouteSocket(where) as route:
        setter = _Setter(ctx, system, route, live.journal(where), as_json)
        if what != "-":
            return setter.run(what, " ".join(value))
        codes = [0]
        for line in sys.stdin:
            name, _, rest = line.strip().partition(" ")
            if name:
                codes.append(setter.run(name, rest.strip()))
                sys.stdout.flush()
        return max(codes)


class _Setter:
    """Sets one clause after another in one namespace."""

    def __init__(
        self,
        ctx: click.Context,
        system: "System",
        route: "RouteSocket",
        journal: "Journal",
        as_json: bool,
    ) -> None:
        self._ctx, self._system, self._route = ctx, system, route
        self._journal, self._as_json = journal, as_json

    def run(self, what: str, value: str) -> int:
        """Set one clause, say how it went, and return the exit code."""
        from tcc.apply.transaction import Outcome  # noqa: PLC0415
        from tcc.cli import live  # noqa: PLC0415
        from tcc.status.altering import set_live  # noqa: PLC0415

        goal, sources = _goal(what, value, self._ctx.color)
        if goal is None:
            return live.REFUSED
        with live.least_privilege():
            done = set_live(self._system, self._journal, live.command_line(), goal, self._frame)
        self._tell(what, goal, done)
        if done.report.outcome is Outcome.DONE and self._as_json:
            return live.EXIT_CODES[done.report.outcome]
        return live.conclude(done.report, sources, self._ctx.color, f"{what} is {value}.")

    def _tell(self, what: str, goal: "Goal", done: "Altered") -> None:
        from tcc.status.altering import change_text  # noqa: PLC0415

        if self._as_json:
            changes = [
                {"device": device, "setting": one.name, "from": one.observed, "to": one.wanted}
                for device, found in done.changes.items()
                for one in found
            ]
            outcome = done.report.outcome.name.lower()
            document = {"set": what, "value": goal.value, "outcome": outcome, "changes": changes}
            click.echo(json.dumps(document))
            return
        for device, found in done.changes.items():
            show.lines(change_text(device, found))

    def _frame(self, device: str) -> int:
        from tcc.netlink import links  # noqa: PLC0415

        found = links.by_name(self._route, device)
        header = found.hard_header_length
        return found.mtu + (14 if header is None else header)


def _goal(what: str, value: str, color: bool | None) -> "tuple[Goal | None, Mapping[str, Source]]":
    """Read what shall be set, as if it stood in a policy; print what is wrong with it.

    Raises:
        click.UsageError: it has not the form LINK.DIRECTION.CLAUSE.
    """
    from tcc import api  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415
    from tcc.lower.live import Alteration  # noqa: PLC0415
    from tcc.source import Source  # noqa: PLC0415
    from tcc.status.altering import Goal  # noqa: PLC0415

    parts = what.rsplit(".", PARTS - 1)
    if len(parts) != PARTS or parts[1] not in DIRECTIONS or not all(parts):
        raise click.UsageError(f"{what!r} is not LINK.egress.CLAUSE or LINK.ingress.CLAUSE")
    if FORBIDDEN & set(value + parts[2]):
        raise click.UsageError("one clause with its value is set, without a block")
    link, direction, clause = parts
    text = f"{clause} {value}"
    policy = f'link x {{\n    device "x"\n    {direction} {{\n        {text}\n    }}\n}}\n'
    built = api.load(Source("tcc set", policy))
    if live.complain(built.found, built.sources, color) or built.policy is None:
        return None, built.sources
    shaping = getattr(built.policy.links[0], direction)
    towards = cast(Literal["egress", "ingress"], direction)
    return Goal(link, towards, Alteration(clause, shaping), value), built.sources
