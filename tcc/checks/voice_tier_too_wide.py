"""`voice-tier-too-wide`."""

from collections.abc import Iterator

from tcc.checks.covered import FIELDS, said_of
from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import Match, Path, PortRange, Tier

HALF = 32_768
"""Ports that are half of all."""
WEB = frozenset({80, 443, 8080})
MOST = ("udp", "tcp", "6", "17")
BEST_EFFORT = 0


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each match that takes transfers into the voice tin."""
    lists: list[tuple[Path, tuple[Tier, ...]]] = [(("tiers",), view.policy.tiers)]
    lists += [(("links", i, "tiers"), link.tiers) for i, link in enumerate(view.policy.links)]
    for path, tiers in lists:
        for number, tier in enumerate(tiers):
            for index, match in enumerate(tier.matches if tier.tin == "voice" else ()):
                at = (*path, number, "matches", index)
                if any(view.unknown(*at, field) for field in FIELDS):
                    continue
                what = _takes(match)
                if what:
                    yield warning(
                        "voice-tier-too-wide",
                        view.span(*at),
                        f"`{tier.name}` takes {what} into the voice tin",
                        "that tin keeps a quarter of the rate and gives way above it, so one "
                        "transfer makes every call wait behind the other tins",
                        "match less: the calls' ports or DSCP; downloads go `as bulk`",
                    )


def _takes(match: Match) -> str:
    """Return what of the Internet's traffic passes; nothing when it is narrow enough."""
    said = set(said_of(match))
    if all(_everywhere(address) for address in (*match.local_addresses, *match.remote_addresses)):
        said -= {"local_addresses", "remote_addresses"}
    if said == {"dscp"} and BEST_EFFORT in match.dscp:
        return "every packet that nobody has marked (cs0)"
    if said == {"protocols"} and set(match.protocols) & set(MOST):
        return f"all of {' and '.join(match.protocols)}, transfers too"
    if not said:
        return "every packet"
    ports = (*match.ports, *match.remote_ports, *match.local_ports)
    of_ports = len(said - {"protocols"}) == 1
    if of_ports and sum(each.last - each.first + 1 for each in ports) > HALF:
        return "more than half of all ports, transfers too"
    if of_ports and "local_ports" not in said and any(map(_web, ports)):
        return "the Web, and so nearly every download"
    return ""


def _web(ports: PortRange) -> bool:
    return any(ports.first <= port <= ports.last for port in WEB)


def _everywhere(address: str) -> bool:
    return address.endswith("/0")
