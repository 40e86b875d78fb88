"""`objective-above-tin-share`."""

from collections.abc import Iterator

from tcc.checks.loads import load_of
from tcc.checks.view import Asked, Side, View, inward
from tcc.diagnostics import Diagnostic, warning
from tcc.units import format_rate

SHARES = {
    "diffserv3": {"voice": 4},
    "diffserv4": {"voice": 4, "video": 2},
}
"""The rate over the threshold of a tin, above which others come first (cake_config_diffserv4())."""
FILLS_ALL = "rrul"


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where a tier is to get more than its tin keeps under a full load."""
    tins: dict[str | None, str] = {tier.name: tier.tin for tier in view.policy.tiers}
    own: dict[tuple[str, str | None], str] = {
        (link.name, tier.name): tier.tin for link in view.policy.links for tier in link.tiers
    }
    for asked in view.asked:
        required = asked.requirement
        if required.metric not in ("goodput", "throughput") or required.comparison != ">=":
            continue
        tin = own.get((asked.link.name, required.subject)) or tins.get(required.subject)
        for side in asked.sides:
            mode = side.shaping.tiers or side.option("diffserv") or "diffserv3"
            share = SHARES.get(mode, {}).get(tin or "")
            if share is None or side.rate is None or required.rate is None:
                continue
            if not _others_are_busy(view, asked, side):
                continue
            if required.rate > side.rate // share:
                yield warning(
                    "objective-above-tin-share",
                    view.span(*asked.path, "rate"),
                    f"above {format_rate(side.rate // share)} {tin} comes after the other tins",
                    f"that is 1/{share} of the rate; while best effort is busy, a tin above its "
                    "threshold gives way to it",
                    "write a lower bound",
                )
                break


def _others_are_busy(view: View, asked: Asked, side: Side) -> bool:
    """Whether transfers without a mark, or those of rrul, fill the best-effort tin."""
    if any(use.name == FILLS_ALL for use in asked.objective.under):
        return True
    tiers = (*view.policy.tiers, *side.link.tiers)
    if any(0 in match.dscp or not match.dscp for tier in tiers for match in tier.matches):
        return False
    direction = "upload" if (side.direction == "egress") is not inward(side.link) else "download"
    return any(
        part.kind == "tcp"
        and part.direction == direction
        and part.rate is None
        and part.rtt is None
        and not part.dscp
        for part in load_of(view, asked).parts
    )
