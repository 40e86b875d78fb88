"""What the plugins of qdiscs find, for policies in which they could find anything."""

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity
from tcc.facts import DeviceFacts
from tcc.lower.link import lower_link
from tcc.lower.wishes import wishes
from tcc.plugin import Wish

WHATEVER_THE_VALUE = frozenset({"cake-mq-fairness", "cake-mq-ingress", "cake-autorate-egress"})
"""What no value of a parameter could change."""
WHATEVER_THE_HOST = frozenset({"cake-mq-memory", "tbf-ingress-uncharged"})
"""Notes that no host could make superfluous."""
NEEDS_A_HOST = "device-pattern-unresolved"


def of_qdiscs(view: View) -> list[Diagnostic]:
    """Return what lowering finds, without what depends on a host that nobody has told of.

    Of links with parts that are not known yet only what depends on none is found. Without
    facts notes are left out: they tell what to look at on a host. A pattern then stands for
    one device.
    """
    unset = {path[:2] for path in view.built.unknown if path[:1] == ("links",)}
    known, found = _wishes(view)
    places = {view.span(*path, "device") for path in unset}
    found = [item for item in found if item.span not in places]
    for wish in known:
        more = lower_link(wish).found
        if wish.path[:2] in unset:
            more = tuple(item for item in more if item.code in WHATEVER_THE_VALUE)
        found += more
    if view.facts is None:
        found = [
            item
            for item in found
            if item.severity > Severity.NOTE or item.code in WHATEVER_THE_HOST
        ]
    return found


def _wishes(view: View) -> tuple[list[Wish], list[Diagnostic]]:
    made, found = wishes(view.policy, view.facts, view.spans)
    if view.facts is not None and view.facts.devices:
        return made, found
    found = [item for item in found if item.code != NEEDS_A_HOST]
    unset = {path[:2] for path in view.built.unknown}
    taken = {wish.path for wish in made}
    for side in view.sides:
        if side.path not in taken and side.link.device.matching and side.path[:2] not in unset:
            made.append(_stand_in(view, side))
    return made, found


def _stand_in(view: View, side: Side) -> Wish:
    """Return the wish for a device of whatever name the pattern matches."""
    device = DeviceFacts(name=side.link.device.matching or "")
    tiers = view.policy.tiers_of(side.link)
    return Wish(
        side.link, side.direction, side.shaping, tiers, device, view.facts, side.path, view.spans
    )
