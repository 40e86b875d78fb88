"""`tier-never-matches`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, error
from tcc.ir import Match, Path, Tier

ONLY = {"icmp": "IPv4", "1": "IPv4", "icmpv6": "IPv6", "58": "IPv6", "igmp": "IPv4", "2": "IPv4"}
"""Protocols that belong to one version of IP."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield an error for each match whose conditions contradict one another."""
    names = {view.device(link, index) for index, link in enumerate(view.policy.links)}
    lists: list[tuple[Path, tuple[Tier, ...], set[str | None]]] = [
        (("tiers",), view.policy.tiers, names)
    ]
    lists += [
        (("links", index, "tiers"), link.tiers, {view.device(link, index)})
        for index, link in enumerate(view.policy.links)
    ]
    for path, tiers, own in lists:
        for number, tier in enumerate(tiers):
            for index, match in enumerate(tier.matches):
                reason = _contradiction(match) or _own_device(match, own)
                if reason:
                    yield error(
                        "tier-never-matches",
                        view.span(*path, number, "matches", index),
                        "no packet meets all these conditions",
                        reason,
                        "conditions in one `match` must all hold; write a `match` for each",
                    )


def _own_device(match: Match, own: set[str | None]) -> str:
    """Return that `device` asks for the link itself, when there is only that link."""
    if len(own) == 1 and match.devices and set(match.devices) == own:
        return "`device` is the other interface of a forwarded packet, and this is the link's own"
    return ""


def _contradiction(match: Match) -> str:
    """Return why no packet can match, or nothing when one can."""
    local, remote = _versions(match.local_addresses), _versions(match.remote_addresses)
    if local and remote and not local & remote:
        return "the local addresses are of one version of IP and the remote ones of the other"
    version = (local or remote) and (local or remote) & (remote or local)
    wanted = {ONLY.get(protocol) for protocol in match.protocols}
    if version and wanted and None not in wanted and not wanted & version:
        return f"{', '.join(match.protocols)} is not spoken between such addresses"
    return ""


def _versions(addresses: tuple[str, ...]) -> set[str]:
    return {"IPv6" if ":" in address else "IPv4" for address in addresses}
