"""Shaping what comes in: an ifb device, and a filter that takes every packet there.

A qdisc shapes only what leaves a device. So an intermediate functional block device (ifb) is
made for each device whose ingress is shaped; everything that comes in is redirected to leave
by it, passes its root qdisc, and goes on as if it had just come in.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tcc.diagnostics import Diagnostic, error
from tcc.facts import DeviceFacts, Facts
from tcc.lower.hanging import tree
from tcc.lower.ifb import ifb_name
from tcc.lower.link import LoweredQdisc
from tcc.plan.state import (
    HOOK,
    LINK,
    PRIORITY,
    REDIRECT,
    FilterItem,
    HookItem,
    Item,
    LinkItem,
    Place,
    State,
)
from tcc.plugin import Wish

KINDS: Final = ("matchall", "u32", "bpf")
"""Kinds of filter that can take every packet, the first that there is."""
PREFS: Final[Mapping[str, int]] = {REDIRECT: 49, PRIORITY: 50}
"""The priorities of our filters; those of others that come before them go first.

They differ, because the u32 filters of clsact's two directions share what they are listed by
(tc_u_common_ptr() in net/sched/cls_u32.c): of one priority each lists the other's, too.
"""
BESTEFFORT: Final = "besteffort"

Masks = tuple[int, int]


def hook_kind(facts: Facts | None, device: DeviceFacts) -> str | None:
    """Return the kind of hook to use: the one that is there, else clsact, else ingress."""
    there = [one.kind for one in device.qdiscs if one.parent in {"ingress", "clsact"}]
    if there:
        return there[0]
    known = facts.qdiscs if facts else ()
    if not known or "clsact" in known:
        return "clsact"
    return "ingress" if "ingress" in known else None


def filter_kind(facts: Facts | None) -> str | None:
    """Return a kind of filter that takes every packet; the best one if nothing is known."""
    if facts is None or not facts.filters:
        return KINDS[0]
    return next((kind for kind in KINDS if kind in facts.filters), None)


def has_action(facts: Facts | None, name: str) -> bool:
    """Whether an action is there, as far as anything is known."""
    tried = facts is not None and bool(facts.filters or facts.actions)
    return not tried or (facts is not None and name in facts.actions)


def ingress_state(
    lowered: Sequence[LoweredQdisc], restored: Mapping[str, Masks]
) -> tuple[State, list[Diagnostic]]:
    """Return what shapes the ingress of the devices where that was lowered.

    Args:
        lowered: the qdiscs of a policy; wishes for egress are left out.
        restored: by device, the masks with which a connection's mark holds the DSCP.

    Found: `ingress-unavailable`, `ifb-name-taken`.
    """
    state: dict[Place, Item] = {}
    found: list[Diagnostic] = []
    names: dict[str, str] = {}
    for one in lowered:
        device = one.wish.device.name
        if one.wish.direction != "ingress" or one.settings is None:
            continue
        lacking = list(_lacking(one.wish))
        ifb = ifb_name(device)
        if names.setdefault(ifb, device) != device:
            lacking.append(_name_taken(one.wish, ifb, names[ifb]))
        found += lacking
        if not lacking:
            state.update(_around(one, ifb, restored.get(device)))
    return state, found


def _around(one: LoweredQdisc, ifb: str, masks: Masks | None) -> Iterator[tuple[Place, Item]]:
    device, path = one.wish.device, one.wish.path
    queues = ifb_queues(device) if one.kind == "cake_mq" else 1
    hook, kind = hook_kind(one.wish.facts, device), filter_kind(one.wish.facts)
    yield Place(ifb, LINK), LinkItem("ifb", tx_queues=queues, path=path)
    yield from tree(ifb, one)
    yield Place(device.name, HOOK), HookItem(hook or "clsact", path=path)
    yield Place(device.name, REDIRECT), FilterItem(kind or KINDS[0], masks, ifb, path=path)


def ifb_queues(device: DeviceFacts) -> int:
    """Return how many queues a cake_mq on an ifb gets: one for each that packets come in by.

    A packet goes to the queue that it came in by, or to that of its hash where the driver does
    not say (netdev_pick_tx() in net/core/dev.c); cake_mq takes no device with a single queue.
    """
    return max(2, device.rx_queues)


def _lacking(wish: Wish) -> Iterator[Diagnostic]:
    """Yield `ingress-unavailable` for each thing that the kernel lacks."""
    facts = wish.facts
    links = facts.links if facts else ()
    lacks = [
        ("an ifb device", bool(links) and "ifb" not in links, "kmod-ifb on OpenWrt"),
        ("the clsact or ingress qdisc", hook_kind(facts, wish.device) is None, "sch_ingress"),
        (f"a filter of {', '.join(KINDS)}", filter_kind(facts) is None, "cls_matchall"),
        ("the mirred action", not has_action(facts, "mirred"), "act_mirred"),
    ]
    for what, lacking, module in lacks:
        if lacking:
            yield error(
                "ingress-unavailable",
                wish.at(),
                f"shaping ingress takes {what}, which this kernel does not have",
                f"install or load it ({module}), and take facts anew",
            )


def _name_taken(wish: Wish, ifb: str, other: str) -> Diagnostic:
    return error(
        "ifb-name-taken",
        wish.at(),
        f"{ifb}, which would shape what comes in on {wish.device.name}, is that of {other}",
        "give one of the two devices another name",
    )


def priority_state(lowered: Sequence[LoweredQdisc]) -> State:
    """Return filters that clear the priority of packets on their way to a cake_mq.

    The CAKEs of its queues have the handle 0, so that a plain priority of 1 to 8 counts as an
    order for a tin, and the kernel sets it from the TOS byte of IPv4 (CAKE specification
    section 3.4; cake_select_tin() in net/sched/sch_cake.c). Where the kernel cannot clear
    it, the plugin's warning `cake-mq-priority` stands.
    """
    state: dict[Place, Item] = {}
    for one in lowered:
        if not clears_priority(one):
            continue
        name, path = one.wish.device.name, one.wish.path
        state[Place(name, HOOK)] = HookItem("clsact", path=path)
        kind = filter_kind(one.wish.facts) or KINDS[0]
        state[Place(name, PRIORITY)] = FilterItem(kind, clears_priority=True, path=path)
    return state


def clears_priority(one: LoweredQdisc) -> bool:
    """Whether priorities are cleared for a cake_mq with several tins."""
    wish = one.wish
    return (
        one.kind == "cake_mq"
        and one.settings is not None
        and wish.direction == "egress"
        and tin_mode(one) not in {None, BESTEFFORT}
        and has_action(wish.facts, "skbedit")
        and filter_kind(wish.facts) is not None
        and hook_kind(wish.facts, wish.device) == "clsact"
    )


def tin_mode(one: LoweredQdisc) -> str | None:
    """Return how a lowered qdisc, or one inside it, divides traffic into tins; None: not at all."""
    from tcc.engine.cake.tables import MODE_NAMES  # noqa: PLC0415  (takes long to load)

    for settings in (one.settings, *(child.settings for child in one.children)):
        number = getattr(settings, "diffserv", None)  # CAKE's own number, of kinds with tins
        if number is not None:
            return MODE_NAMES[number]
    return None
