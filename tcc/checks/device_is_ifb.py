"""`device-is-ifb`."""

from collections.abc import Iterator

from tcc.checks.devices import is_ifb
from tcc.checks.view import Side, View, outward
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for ingress of an ifb, and for its egress as if it led to a provider."""
    for side in view.sides:
        name = view.name(side)
        if not is_ifb(name):
            continue
        if side.direction == "ingress":
            yield _finding(
                view, side, f"nothing arrives at `{name}`: it is where packets are sent to wait",
                "an ifb gets packets from a filter on another device",
            )  # fmt: skip
        elif outward(side.link) and side.option("ingress") is not True:
            yield _finding(
                view, side, f"what leaves `{name}` has come in by another device",
                "as egress it is counted without what is dropped, and `fairness` looks at the "
                "senders, who are all over the Internet",
            )  # fmt: skip


def _finding(view: View, side: Side, message: str, why: str) -> Diagnostic:
    return warning(
        "device-is-ifb",
        view.at_link(side, "device"),
        message,
        why,
        "name the device at which they arrive, with `ingress`; tcc makes the ifb for it",
    )
