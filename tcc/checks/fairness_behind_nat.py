"""`fairness-behind-nat`."""

from collections.abc import Iterator

from tcc.checks.features import FLOW_FAIR
from tcc.checks.view import Side, View, masquerades
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import Tier

PRIVATE = ("10.", "192.168.", *(f"172.{number}." for number in range(16, 32)))
"""RFC 1918."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for `nonat` where addresses are translated and hosts are told apart.

    Where tiers name hosts, and all by addresses of the Internet, the router may translate none.
    """
    for side in view.sides:
        if side.option("nat") is not False or not masquerades(side.link):
            continue
        hosts = _hosts((*side.link.tiers, *view.policy.tiers))
        hidden = [address for address in hosts if address.startswith(PRIVATE)]
        if not hidden and (hosts or _mode(side) in FLOW_FAIR):
            continue
        who = f"hosts such as {hidden[0]} are behind NAT" if hidden else "`role router` masquerades"
        yield warning(
            "fairness-behind-nat",
            view.at_option(side, "nat"),
            f"{who}, and `nonat` does not look through it",
            "to CAKE they are all one address: a host with many flows gets a share for each",
            "leave `nonat` out: `role router` says `nat`; a router that translates no addresses "
            "is `role bridge`",
        )


def _mode(side: Side) -> str | None:
    mode: str | None = side.shaping.fairness or side.option("flow_mode")
    return mode


def _hosts(tiers: tuple[Tier, ...]) -> list[str]:
    return [
        address for tier in tiers for match in tier.matches for address in match.local_addresses
    ]
