"""`tier-never-matches`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, error
from tcc.ir import Match, Path

ONLY = {"icmp": "IPv4", "1": "IPv4", "icmpv6": "IPv6", "58": "IPv6", "igmp": "IPv4", "2": "IPv4"}
"""Protocols that belong to one version of IP."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield an error for each match whose conditions contradict one another."""
    lists: list[tuple[Path, tuple[object, ...]]] = [(("tiers",), view.policy.tiers)]
    lists += [(("links", i, "tiers"), link.tiers) for i, link in enumerate(view.policy.links)]
    for path, tiers in lists:
        for number, tier in enumerate(tiers):
            for index, match in enumerate(tier.matches):  # type: ignore[attr-defined]
                reason = _contradiction(match)
                if reason:
                    yield error(
                        "tier-never-matches",
                        view.span(*path, number, "matches", index),
                        "no packet meets all these conditions",
                        reason,
                        "conditions in one `match` must all hold; write a `match` for each",
                    )


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
