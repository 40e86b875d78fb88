"""`fairness-behind-nat`."""

from collections.abc import Iterator

from tcc.checks.view import View, masquerades
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import Tier

PRIVATE = ("10.", "192.168.", *(f"172.{number}." for number in range(16, 32)))
"""RFC 1918."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for `nonat` where the hosts have addresses that must be translated."""
    common = _private_host(view.policy.tiers)
    for side in view.sides:
        if side.option("nat") is not False or not masquerades(side.link):
            continue
        address = _private_host(side.link.tiers) or common
        if address is None:
            continue
        yield warning(
            "fairness-behind-nat",
            view.at_option(side, "nat"),
            f"hosts such as {address} are behind NAT, and `nonat` does not look through it",
            "to CAKE they are all one address: a host with many flows gets a share for each",
            "leave `nonat` out: `role router` says `nat`",
        )


def _private_host(tiers: tuple[Tier, ...]) -> str | None:
    for tier in tiers:
        for match in tier.matches:
            for address in match.local_addresses:
                if address.startswith(PRIVATE):
                    return address
    return None
