"""`nat-without-masquerade`."""

from collections.abc import Iterator

from tcc.checks.view import View, masquerades
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for `nat` where no addresses are translated."""
    for side in view.sides:
        role = side.link.role
        if role is None or not side.option("nat") or masquerades(side.link):
            continue
        where = "a device that faces hosts" if role.facing_hosts else f"a {role.kind}"
        yield warning(
            "nat-without-masquerade",
            view.at_option(side, "nat"),
            f"`nat` on {where} has nothing to look through",
            "each packet is looked up in the table of connections for nothing; if this machine "
            "does translate addresses here, its role is `router`",
            "leave `nat` out, or write `role router`",
        )
