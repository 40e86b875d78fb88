"""`tier-moved-by-cake-mq`."""

from collections.abc import Iterator

from tcc.checks.view import View, masquerades
from tcc.diagnostics import Diagnostic, warning

SYSCTL = "net.ipv4.ip_forward_update_priority"


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for tiers in the video tin of a cake_mq: IPv4 packets miss it."""
    value = view.facts.sysctls.get(SYSCTL) if view.facts is not None else None
    common = [tier for tier in view.policy.tiers if tier.tin == "video"]
    seen: set[str] = set()
    for side in view.sides:
        mode = side.shaping.tiers or side.option("diffserv")
        if side.kind != "cake_mq" or mode != "diffserv4":
            continue
        if value == "0" and masquerades(side.link):
            continue
        own = [tier for tier in side.link.tiers if tier.tin == "video"]
        for tier in own + common:
            if tier.name not in seen:
                seen.add(tier.name)
                yield warning(
                    "tier-moved-by-cake-mq",
                    view.at(side, "qdisc"),
                    f"cake_mq puts IPv4 packets of `{tier.name}` into Best Effort, not into Video",
                    "their mark is AF41, which the kernel also turns into a priority of its own; "
                    "in each queue of cake_mq that priority passes for the number of a tin",
                    f"forwarded packets: sysctl {SYSCTL}=0; or use `qdisc cake`, or `as voice`",
                )
        common = []  # said once
