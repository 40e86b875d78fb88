"""`tcc remove`: take away what apply put there."""

import os
from typing import TYPE_CHECKING

import click

from tcc.cli import options, policies
from tcc.diagnostics import Diagnostic, error, note

if TYPE_CHECKING:
    from tcc.apply.records import Owned, Ownership
    from tcc.passes import Given
    from tcc.plan.state import Item, Place, State


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

    The devices get the kernel's own qdiscs, and what shaped ingress goes. Only what is still
    as apply left it is touched.

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
    chosen = {place: owned[place] for place in _chosen(what, owned, given)}
    with live.backend().open(where) as system:
        wanted, found_ = _still_ours(system.observe(_gone(chosen)), chosen)
        if what is not None and not chosen:
            found_.append(_not_ours(what, owned))
        if live.complain(found_, {}, ctx.color):
            return live.REFUSED
        made = diff(system.observe(wanted), wanted, system)
        return live.Change(ctx, system, where, {}).run(made, yes=yes)


def _chosen(what: str | None, owned: "Ownership", given: "Given") -> "list[Place]":
    """Return the places that are meant, out of those that are ours."""
    from tcc.lower.ifb import ifb_name  # noqa: PLC0415

    if what is None:
        return list(owned)
    if os.path.exists(what) or what.endswith((".tcc", ".tcc.json")):
        policy = policies.load(what, given).policy
        links = {link.name for link in policy.links} if policy else set()
        return [place for place, one in owned.items() if one.link in links]
    devices = {what, ifb_name(what)}
    return [place for place, one in owned.items() if one.link == what or place.device in devices]


def _gone(owned: "Ownership") -> "State":
    """Return what to want of places where nothing of ours shall be."""
    from tcc.plan.state import KERNELS_OWN, LINK, NOTHING, Place, is_tree  # noqa: PLC0415

    made = {place.device for place in owned if place.at == LINK}
    return {
        place: KERNELS_OWN if is_tree(place) else NOTHING
        for place in owned
        if place.device not in made or place == Place(place.device, LINK)
    }


def _still_ours(observed: "State", owned: "Ownership") -> "tuple[State, list[Diagnostic]]":
    """Return what to want of the places where what apply put there still is, and the others."""
    wanted, found = {}, []
    for place, item in _gone(owned).items():
        there, one = observed.get(place), owned[place]
        if _is_it(there, one):
            wanted[place] = item
        else:
            why = "it is gone" if _is_missing(there) else "somebody else has replaced it"
            what = place.device if place.at == "root" else f"{place.device} ({place.at})"
            found.append(note("no-longer-ours", None, f"{what} is left alone: {why}"))
    return wanted, found


def _is_it(there: "Item | None", one: "Owned") -> bool:
    """Whether what is there is what apply put there."""
    from tcc.plan.state import FilterItem, HookItem, LinkItem, QdiscItem, RulesItem  # noqa: PLC0415

    match there:
        case QdiscItem():
            return (there.kind, there.handle) == (one.kind, one.handle)
        case FilterItem():
            return not there.foreign
        case LinkItem() | HookItem():
            return there.kind == one.kind
    return isinstance(there, RulesItem)


def _is_missing(there: "Item | None") -> bool:
    from tcc.plan.state import Nothing  # noqa: PLC0415

    return there is None or isinstance(there, Nothing)


def _not_ours(what: str, owned: "Ownership") -> Diagnostic:
    names = ", ".join(sorted({one.link or place.device for place, one in owned.items()}))
    return error(
        "not-ours",
        None,
        f"nothing that apply put there belongs to `{what}`",
        f"there is something of: {names}" if names else "nothing is there that apply put there",
    )
