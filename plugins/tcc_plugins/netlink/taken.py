"""What is in the way: places where somebody else has put something."""

from collections.abc import Iterator

from tcc.diagnostics import Diagnostic, error
from tcc.lower.ingress import PREFS
from tcc.plan.operation import Plan
from tcc.plan.render import name
from tcc.plan.state import REDIRECT, FilterItem, HookItem, Item, LinkItem, Nothing, Place


def obstacles(plan: Plan) -> Iterator[Diagnostic]:
    """Yield `ifb-name-taken` and `ingress-taken`: nothing of others is taken away for ours."""
    for place, item in plan.wanted.items():
        found = plan.observed.get(place)
        if isinstance(item, Nothing) or found is None or isinstance(found, Nothing):
            continue
        yield from _taken(place, item, found)


def _taken(place: Place, item: Item, found: Item) -> Iterator[Diagnostic]:
    device = place.device
    match item, found:
        case LinkItem(), LinkItem() if item.kind != found.kind:
            yield error(
                "ifb-name-taken",
                None,
                f"{device} is there, and it is {found.kind or 'hardware'}, not an {item.kind}",
                f"give it another name: ip link set dev {device} name NAME",
            )
        case HookItem(), HookItem() if found.shared or item.kind != found.kind:
            why = "its filters are shared with other devices" if found.shared else "it is in use"
            yield error(
                "ingress-taken",
                None,
                f"{device} has {found.kind} of somebody else, and ours takes {item.kind}: {why}",
                f"if it is not needed: tc qdisc delete dev {device} {found.kind}",
            )
        case FilterItem(), FilterItem() if found.foreign:
            yield error(
                "ingress-taken",
                None,
                f"{name(found)} is on {device}, where a filter of ours would stand",
                f"if it is not needed: tc filter delete dev {device} "
                f"{'ingress' if place.at == REDIRECT else 'egress'} pref {PREFS[place.at]}",
            )
