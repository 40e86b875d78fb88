"""`tcc remove`: take away what apply put there."""

import os
from typing import TYPE_CHECKING

import click

from tcc import api
from tcc.cli import options
from tcc.diagnostics import Diagnostic, error, note

if TYPE_CHECKING:
    from tcc.apply.records import Ownership
    from tcc.passes import Given
    from tcc.plan.state import State


@click.command()
@click.argument("what", metavar="[FILE or LINK]", required=False)
@options.values
@options.netns
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def command(
    ctx: click.Context, what: str | None, given: "Given", netns: str | None, *, yes: bool
) -> int:
    """Take away what `tcc apply` put there: all of it, or that of a policy FILE or a LINK.

    The devices get the kernel's own qdiscs. Only what is still as apply left it is touched.

    Exit codes: as `tcc apply`.
    """
    from tcc.apply.stored import DamagedError  # noqa: PLC0415
    from tcc.cli import live  # noqa: PLC0415
    from tcc.plan.diff import diff  # noqa: PLC0415

    where = live.namespace(netns)
    if live.complain(live.permission(), {}, ctx.color):
        return live.REFUSED
    try:
        owned = live.journal(where).owned()
    except (OSError, DamagedError) as problem:
        found = error("state-unusable", None, str(problem), "`tc qdisc delete dev DEVICE root`")
        live.complain([found], {}, ctx.color)
        return live.REFUSED
    chosen = {device: owned[device] for device in _chosen(what, owned, given)}
    with live.backend().open(where) as system:
        wanted, found_ = _still_ours(system.observe(_roots(chosen)), chosen)
        if what is not None and not chosen:
            found_.append(_not_ours(what, owned))
        if live.complain(found_, {}, ctx.color):
            return live.REFUSED
        made = diff(system.observe(wanted), wanted, system)
        return live.Change(ctx, system, where, {}).run(made, yes=yes)


def _chosen(what: str | None, owned: "Ownership", given: "Given") -> list[str]:
    """Return the devices that are meant, out of those that are ours."""
    if what is None:
        return list(owned)
    if os.path.exists(what) or what.endswith((".tcc", ".tcc.json")):
        policy = api.load(what, given).policy
        links = {link.name for link in policy.links} if policy else set()
        return [device for device, one in owned.items() if one.link in links]
    return [device for device, one in owned.items() if what in {one.link, device}]


def _roots(owned: "Ownership") -> "State":
    from tcc.plan.state import KERNELS_OWN, Place  # noqa: PLC0415

    return {Place(device, "root"): KERNELS_OWN for device in owned}


def _still_ours(observed: "State", owned: "Ownership") -> "tuple[State, list[Diagnostic]]":
    """Return what to want of the devices where what apply put there still is, and the others."""
    from tcc.plan.state import KERNELS_OWN, Place, QdiscItem  # noqa: PLC0415

    wanted, found = {}, []
    for device, one in owned.items():
        place = Place(device, "root")
        item = observed.get(place)
        if isinstance(item, QdiscItem) and (item.kind, item.handle) == (one.kind, one.handle):
            wanted[place] = KERNELS_OWN
        else:
            why = "it is gone" if item is None else "somebody else has replaced it"
            found.append(note("no-longer-ours", None, f"{device} is left alone: {why}"))
    return wanted, found


def _not_ours(what: str, owned: "Ownership") -> Diagnostic:
    names = ", ".join(sorted({one.link or device for device, one in owned.items()}))
    return error(
        "not-ours",
        None,
        f"nothing that apply put there belongs to `{what}`",
        f"there is something of: {names}" if names else "nothing is there that apply put there",
    )
