"""`tiers-without-tins`."""

from collections.abc import Iterator

from tcc.checks.view import CAKES, View
from tcc.diagnostics import Diagnostic, warning

SHOWN = 4


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where tiers are defined and `tiers besteffort` sorts nothing."""
    sorts: set[int | str] = set()
    flat: dict[int | str, tuple[str | int, ...]] = {}
    for side in view.sides:
        mode = side.shaping.tiers or side.option("diffserv")
        index = side.path[1]
        if view.unknown(*side.path, "tiers") or (side.kind in CAKES and mode != "besteffort"):
            sorts.add(index)
        elif mode == "besteffort":
            flat.setdefault(index, side.path)
    for index, path in flat.items():
        own = view.policy.links[int(index)].tiers
        if index in sorts or not (own or (view.policy.tiers and not sorts)):
            continue
        tiers = own or view.policy.tiers
        names = ", ".join(f"`{tier.name}`" for tier in tiers[:SHOWN])
        names += f" and {len(tiers) - SHOWN} more" if len(tiers) > SHOWN else ""
        yield warning(
            "tiers-without-tins",
            view.span(*path, "tiers"),
            f"with one tin there is nothing to sort {names} into",
            "every packet waits in the same tin, whatever its tier",
            "write `tiers diffserv4`, or leave the tiers out",
        )
