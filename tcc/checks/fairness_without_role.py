"""`fairness-without-role`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning

OF_HOSTS = ("per-host", "dual-srchost", "dual-dsthost", "per-source", "per-destination", "hosts",
            "srchost", "dsthost")  # fmt: skip


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where hosts are to be told apart and it is not said where they are."""
    seen: set[int | str] = set()
    for side in view.sides:
        index = side.path[1]
        said = side.shaping.fairness or side.option("flow_mode")
        if side.link.role is not None or index in seen or said not in OF_HOSTS:
            continue
        if view.unknown("links", index, "role") or side.option("nat") is not None:
            continue
        seen.add(index)
        yield warning(
            "fairness-without-role",
            view.at_either(side, "fairness", "flow_mode"),
            f"`{'fairness ' if side.shaping.fairness else ''}{said}` between which hosts?",
            "behind NAT all hosts have one address, and get the share of one, unless "
            "`role router` tells CAKE to look through it; on a server the hosts are the others",
            "write a `role`: router, router facing hosts, bridge or host",
        )
