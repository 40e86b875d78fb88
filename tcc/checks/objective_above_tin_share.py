"""`objective-above-tin-share`."""

from collections.abc import Iterator

from tcc.checks.view import View
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
        if not any(use.name == FILLS_ALL for use in asked.objective.under):
            continue
        tin = own.get((asked.link.name, required.subject)) or tins.get(required.subject)
        for side in asked.sides:
            mode = side.shaping.tiers or side.option("diffserv") or "diffserv3"
            share = SHARES.get(mode, {}).get(tin or "")
            if share is None or side.rate is None or required.rate is None:
                continue
            if required.rate > side.rate // share:
                yield warning(
                    "objective-above-tin-share",
                    view.span(*asked.path, "rate"),
                    f"above {format_rate(side.rate // share)} {tin} comes after the other tins",
                    f"that is 1/{share} of the rate; `{FILLS_ALL}` keeps all tins busy, and a tin "
                    "above its threshold gives way to the rest",
                    "write a lower bound",
                )
                break
