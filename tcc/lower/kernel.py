"""Everything that a policy wants of a Linux kernel: qdiscs, and what is around them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tcc.diagnostics import Diagnostic
from tcc.facts import Facts
from tcc.ir import Policy, Spans
from tcc.lower.hanging import egress_state
from tcc.lower.hindrances import hindrances
from tcc.lower.ifb import ifb_name
from tcc.lower.ingress import clears_priority, ingress_state, priority_state
from tcc.lower.link import LoweredQdisc, lower_policy
from tcc.lower.tiers import Tiering, lower_tiers
from tcc.plan.state import State
from tcc.plugin import Explanation

PRIORITY_WARNING = "cake-mq-priority"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What should be there, and what led to it."""

    state: State
    lowered: Sequence[LoweredQdisc]
    """With what was explained of tiers and the rest, too."""
    found: tuple[Diagnostic, ...]


def lower_for_kernel(policy: Policy, facts: Facts | None, spans: Spans) -> Wanted:
    """Return what `policy` wants of a kernel.

    Found: those of `lower_policy`, `ingress_state`, `lower_tiers`, `hindrances`.
    """
    lowered, found = lower_policy(policy, facts, spans)
    closed = {
        said
        for one in lowered
        if clears_priority(one)
        for said in one.found
        if said.code == PRIORITY_WARNING
    }
    tiers = lower_tiers(lowered)
    ingress, lacking = ingress_state(lowered, tiers.restored)
    state = {
        **egress_state(lowered),
        **ingress,
        **priority_state(lowered),
        **tiers.state,
    }
    told = [replace(one, explained=tuple(_explained(one, tiers))) for one in lowered]
    rest = [said for said in found if said not in closed]
    against = hindrances(lowered, facts, tiers.restored)
    return Wanted(state, told, (*rest, *tiers.found, *lacking, *against))


def _explained(one: LoweredQdisc, tiers: Tiering) -> Iterator[Explanation]:
    yield from one.explained
    if one.settings is None:
        return
    if one.wish.direction == "ingress":
        ifb = ifb_name(one.wish.device.name)
        because = "everything that comes in is redirected there"
        yield Explanation("ingress", f"on {ifb}", because, one.wish.at())
    if clears_priority(one):
        because = "a plain one would choose the tin in place of the DSCP"
        yield Explanation("qdisc cake_mq", "priority 0 for every packet", because)
    for wish, said in tiers.explained:
        if wish is one.wish:
            yield said
