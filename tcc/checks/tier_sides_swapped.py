"""`tier-sides-swapped`."""

from collections.abc import Iterator

from tcc.checks.devices import is_virtual
from tcc.checks.view import View, masquerades
from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.ir import Path, Tier
from tcc.source import Span

RESOLVERS = frozenset({
    "1.0.0.1", "1.1.1.1", "8.8.4.4", "8.8.8.8", "9.9.9.9", "149.112.112.112", "208.67.220.220",
    "208.67.222.222", "2606:4700:4700::1001", "2606:4700:4700::1111", "2001:4860:4860::8844",
    "2001:4860:4860::8888", "2620:fe::fe", "2620:fe::9",
})  # fmt: skip
"""Addresses of Cloudflare's, Google's, Quad9's and OpenDNS's public resolvers."""
AT_HOME = ("192.168.", "fd")
"""Addresses of RFC 1918 and RFC 4193 that a provider does not use for services of its own."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for an address that is on the other side, where links lead to the Internet.

    Private addresses are not `remote` there, and public resolvers are not `local`.
    """
    links = view.policy.links
    away = [masquerades(link) and not is_virtual(link.device.name or "") for link in links]
    if links and all(away):
        yield from _of(view, view.policy.tiers, ("tiers",))
    for index, link in enumerate(links):
        if away[index]:
            yield from _of(view, link.tiers, ("links", index, "tiers"))


def _of(view: View, tiers: tuple[Tier, ...], path: Path) -> Iterator[Diagnostic]:
    for number, tier in enumerate(tiers):
        for index, match in enumerate(tier.matches):
            at = (*path, number, "matches", index)
            hidden = [one for one in match.remote_addresses if one.startswith(AT_HOME)]
            if hidden and not match.local_addresses:
                why = f"{hidden[0]} is no address of the Internet, so no far end has it"
                yield _swapped(view, why, (*at, "remote_addresses"), "remote", "local")
            public = [one for one in match.local_addresses if one.partition("/")[0] in RESOLVERS]
            if public and not match.remote_addresses:
                why = f"{public[0]} is a public resolver, and no host behind this router"
                yield _swapped(view, why, (*at, "local_addresses"), "local", "remote")


def _swapped(view: View, why: str, path: Path, said: str, meant: str) -> Diagnostic:
    span = view.span(*path)
    word = _word_before(view, span, said)
    return Diagnostic(
        "tier-sides-swapped",
        Severity.WARNING,
        why,
        span,
        hints=(
            "`local` is the hosts' side whatever the direction, `remote` the far one: of packets "
            "through this router 0 match",
            f"write: {meant}",
        ),
        fixes=(Fix(f"write `{meant}`", word, meant, safe=False),) if word else (),
    )


def _word_before(view: View, span: Span | None, said: str) -> Span | None:
    """Return the place of the word `said` in front of addresses; None in JSON."""
    source = view.built.sources.get(span.path) if span else None
    if span is None or source is None:
        return None
    at = source.text.rfind(said, 0, span.start)
    return Span(span.path, at, at + len(said)) if at >= 0 and view.built.trees else None
