"""`tier-unreachable`."""

from collections.abc import Iterator

from tcc.checks.covered import FIELDS, Covered, Place, Taken, said_of
from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, Severity
from tcc.ir import Path, Tier
from tcc.source import Span


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each match whose packets earlier tiers take.

    A link's own tiers are compared among themselves, and the policy's among themselves: what
    one link's tiers take from the policy's is taken on purpose.
    """
    yield from _of(view, view.policy.tiers, ("tiers",))
    for index, link in enumerate(view.policy.links):
        if link.tiers:
            yield from _of(view, link.tiers, ("links", index, "tiers"))


def _of(view: View, tiers: tuple[Tier, ...], path: Path) -> Iterator[Diagnostic]:
    seen = Covered()
    for number, tier in enumerate(tiers):
        for index, match in enumerate(tier.matches):
            at = (*path, number, "matches", index)
            said = said_of(match)
            if view.built.unknown and any(view.unknown(*at, field) for field in FIELDS):
                continue
            whole, parts = seen.taken(match, said)
            if whole is not None and whole.tier != number:
                yield _unreachable(tier, tiers[whole.tier], view.span(*at), whole.span)
            elif parts:
                yield from _in_part(view, tiers, parts, (at, number))
            seen.add(match, said, Place(number, view.span(*at)))


def _unreachable(tier: Tier, other: Tier, span: Span | None, taken: Span | None) -> Diagnostic:
    return Diagnostic(
        "tier-unreachable",
        Severity.WARNING,
        f"no packet comes here: `{other.name}` takes them all before `{tier.name}`",
        span,
        hints=("the first tier in file order wins", "put the narrower tier first"),
        related=(("taken here", taken),) if taken else (),
    )


def _in_part(
    view: View,
    tiers: tuple[Tier, ...],
    parts: list[Taken],
    at: tuple[Path, int],
) -> Iterator[Diagnostic]:
    """Yield a warning for the values of a match that another tin's tier takes."""
    path, number = at
    tier = tiers[number]
    for field, value, place in parts:
        other = tiers[place.tier]
        if other.tin == tier.tin:
            continue
        yield Diagnostic(
            "tier-unreachable",
            Severity.WARNING,
            f"{value} never comes here: `{other.name}` takes it before `{tier.name}`",
            view.span(*path, field),
            hints=("the first tier in file order wins", "leave it out of one of the two"),
            related=(("taken here", place.span),) if place.span else (),
        )
