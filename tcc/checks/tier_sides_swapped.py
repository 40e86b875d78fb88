"""`tier-sides-swapped`."""

from collections.abc import Iterator

from tcc.checks.devices import is_virtual
from tcc.checks.view import View, masquerades
from tcc.diagnostics import Diagnostic, Fix, Severity
from tcc.ir import Path, Tier
from tcc.source import Span

REMOTE = "remote"
AT_HOME = ("192.168.", "fd")
"""Addresses of RFC 1918 and RFC 4193 that a provider does not use for services of its own."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for a private address as `remote`, where all links lead to the Internet."""
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
            hidden = [one for one in match.remote_addresses if one.startswith(AT_HOME)]
            if hidden and not match.local_addresses:
                yield _swapped(view, hidden[0], (*path, number, "matches", index))


def _swapped(view: View, address: str, path: Path) -> Diagnostic:
    span = view.span(*path, "remote_addresses")
    word = _word_before(view, span)
    return Diagnostic(
        "tier-sides-swapped",
        Severity.WARNING,
        f"{address} is no address of the Internet, so no far end has it",
        span,
        hints=(
            "`local` is the hosts' side whatever the direction, `remote` the far one: of packets "
            "through this router 0 come here",
            "write: local",
        ),
        fixes=(Fix("write `local`", word, "local", safe=False),) if word else (),
    )


def _word_before(view: View, span: Span | None) -> Span | None:
    """Return the place of the word `remote` in front of addresses; None in JSON."""
    source = view.built.sources.get(span.path) if span else None
    if span is None or source is None:
        return None
    at = source.text.rfind(REMOTE, 0, span.start)
    return Span(span.path, at, at + len(REMOTE)) if at >= 0 and view.built.trees else None
