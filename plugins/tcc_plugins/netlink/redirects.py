"""Our filters in the kernel's terms: their form, and how one that is there is known again.

A filter of ours stands alone at a priority of its own and takes every packet.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tcc.lower.ingress import PREFS
from tcc.netlink import actions, filters
from tcc.netlink.filters import ETH_P_ALL, FilterMessage
from tcc.netlink.handle import CLSACT_EGRESS, CLSACT_INGRESS, Handle
from tcc.netlink.objects import TcObject
from tcc.netlink.wire import DecodeError, EncodeError, Pair
from tcc.plan.state import NOTHING, PRIORITY, REDIRECT, FilterItem, Item

PARENTS: Final[Mapping[str, Handle]] = {REDIRECT: CLSACT_INGRESS, PRIORITY: CLSACT_EGRESS}
HANDLE: Final = 1
_U32_NODE: Final = 0xFFF
_REDIRECTED: Final = {"action": actions.TC_ACT_STOLEN, "eaction": actions.EGRESS_REDIRECT}

NameOf = Callable[[int], str]
"""The name of the device with a number; empty where there is none."""


def message(ifindex: int, at: str, item: FilterItem, target: int) -> FilterMessage:
    """Return what makes `item`; `target` is the number of the device that it redirects to."""
    options = filters.everything(item.kind, _actions(item, target))
    return FilterMessage(ifindex, PARENTS[at], PREFS[at], ETH_P_ALL, item.kind, options, HANDLE)


def removal(ifindex: int, at: str) -> FilterMessage:
    """Return what names everything at our priority."""
    return FilterMessage(ifindex, PARENTS[at], PREFS[at], ETH_P_ALL)


def _actions(item: FilterItem, target: int) -> list[Sequence[Pair]]:
    made: list[Sequence[Pair]] = []
    if item.restores is not None:
        value, valid = item.restores
        pairs: list[Pair] = [
            ("ACT", {"action": actions.TC_ACT_PIPE}),
            ("ZONE", 0),
            ("PARMS_DSCP_MASK", value),
            ("PARMS_DSCP_STATEMASK", valid),
        ]
        made.append(actions.action("ctinfo", pairs))
    if item.clears_priority:
        made.append(
            actions.action("skbedit", [("PARMS", {"action": actions.TC_ACT_PIPE}), ("PRIORITY", 0)])
        )
    if item.redirects:
        made.append(actions.action("mirred", [("PARMS", {**_REDIRECTED, "ifindex": target})]))
    return made


def at_our_priority(
    at: str, found: Iterable[TcObject], opposite: Iterable[TcObject], name_of: NameOf
) -> Item:
    """Return what stands at our priority in one direction.

    Args:
        at: which of our places.
        found: the filters of its direction.
        opposite: those of the other one: a u32 there is in the way (see `PREFS`).
        name_of: see `NameOf`.
    """
    pref = PREFS[at]
    there = [one for one in found if filters.priority(one) == pref and is_node(one)]
    across = [one for one in opposite if filters.priority(one) == pref and one.kind == "u32"]
    if across and (not there or there[0].kind == "u32"):
        return FilterItem("u32", foreign=f"u32 filter of pref {pref}, in the other direction,")
    if not there:
        return NOTHING
    if len(there) > 1:
        return FilterItem(there[0].kind, foreign=f"{len(there)} filters of pref {pref}")
    foreign = FilterItem(there[0].kind, foreign=f"{there[0].kind} filter of pref {pref}")
    return _read(there[0], name_of) or foreign


def is_node(found: TcObject) -> bool:
    """Whether it is a filter, and not the frame of one.

    The kernel lists each priority once without a handle, and u32's hash tables, whose node
    is 0 (u32_walk() in net/sched/cls_u32.c).
    """
    if not found.handle:
        return False
    return found.kind != "u32" or bool(int(found.handle) & _U32_NODE)


def _read(found: TcObject, name_of: NameOf) -> FilterItem | None:
    """Return a filter of our form; None when it is not."""
    if filters.protocol(found) != ETH_P_ALL or filters.chain(found):
        return None
    try:
        options = dict(filters.decode_filter(found.kind, found.options or b""))
        if not _takes_everything(found.kind, options):
            return None
        return _item(found.kind, options.get("ACT"), name_of)
    except (DecodeError, EncodeError, KeyError, TypeError):
        return None


def _takes_everything(kind: str, options: Mapping[str | int, object]) -> bool:
    if kind == "matchall":
        return True
    if kind == "bpf":
        return options.get("OPS") == filters.RETURN_ALL
    selector = options.get("SEL")
    if kind != "u32" or not isinstance(selector, bytes):
        return False
    return all(not key.mask for key in filters.parse_selector(selector)[1])


def _item(kind: str, acts: object, name_of: NameOf) -> FilterItem | None:
    item = FilterItem(kind)
    for _, act in acts if isinstance(acts, list) else ():
        name, pairs = actions.parse_action(act)
        values = dict(pairs)
        if name == "ctinfo":
            value, valid = values["PARMS_DSCP_MASK"], values["PARMS_DSCP_STATEMASK"]
            if not isinstance(value, int) or not isinstance(valid, int):
                return None
            item = item._replace(restores=(value, valid))
        elif name == "skbedit" and values.get("PRIORITY") == 0:
            item = item._replace(clears_priority=True)
        elif name == "mirred" and (number := _redirected(values["PARMS"])) is not None:
            target = name_of(number)
            item = item._replace(redirects=target, dead=not target)
        else:
            return None
    return item if item.redirects or item.dead or item.clears_priority else None


def _redirected(parms: object) -> int | None:
    """Return the number of the device that mirred redirects to; None if it does another thing."""
    if not isinstance(parms, Mapping):
        return None
    if any(parms[name] != value for name, value in _REDIRECTED.items()):
        return None
    return int(parms["ifindex"])
