"""One step of a plan as one request to the kernel.

Flags are those of tc(8): add is CREATE and EXCL, change none, replace CREATE and REPLACE
(net/sched/sch_api.c, tc_modify_qdisc()). EXCL is what finds out that somebody else put a
qdisc where only the kernel's default was.
"""

from collections.abc import Callable

from tcc.apply.codec import payload_of
from tcc.netlink import filters, links, qdisc
from tcc.netlink.handle import INGRESS, INGRESS_HANDLE, Handle
from tcc.netlink.messages import Message
from tcc.netlink.qdisc import QdiscMessage
from tcc.plan.operation import Operation, Verb
from tcc.plan.state import FilterItem, HookItem, LinkItem, QdiscItem
from tcc_plugins.netlink import redirects

NumberOf = Callable[[str], int]
"""The number of a device; 0 where there is none."""


def request(step: Operation, number_of: NumberOf) -> Message:
    """Return the request that carries out `step`.

    Raises:
        EncodeError: settings that their attributes cannot carry.
    """
    ifindex = number_of(step.place.device)
    item = step.before if step.verb is Verb.DELETE else step.after
    match item:
        case QdiscItem():
            return _qdisc(step, item, ifindex)
        case LinkItem():
            return _link(step, item, ifindex)
        case HookItem():
            hook = QdiscMessage(ifindex, INGRESS_HANDLE, INGRESS, item.kind)
            return qdisc.delete(hook) if step.verb is Verb.DELETE else qdisc.add(hook)
        case FilterItem():
            if step.verb is Verb.DELETE:
                return filters.delete(redirects.removal(ifindex, step.place.at))
            target = number_of(item.redirects) if item.redirects else 0
            return filters.add(redirects.message(ifindex, step.place.at, item, target))
    raise TypeError(f"{step.place} is no place that takes one request")


def _qdisc(step: Operation, item: QdiscItem, ifindex: int) -> Message:
    parent = Handle.parse(step.place.at)
    if step.verb is Verb.DELETE:
        return qdisc.delete(QdiscMessage(ifindex, Handle(item.handle), parent))
    message = QdiscMessage(ifindex, Handle(item.handle), parent, item.kind, payload_of(item))
    if step.verb is Verb.CHANGE:
        return qdisc.change(message)
    return qdisc.add(message) if step.verb is Verb.ADD else qdisc.replace(message)


def _link(step: Operation, item: LinkItem, ifindex: int) -> Message:
    """Return what makes, removes, or sets up or down an ifb; a new one is born as it shall be."""
    if step.verb is Verb.DELETE:
        return links.delete(ifindex)
    if step.verb is Verb.CHANGE:
        return links.set_up(ifindex) if item.up else links.set_down(ifindex)
    return links.create_ifb(
        step.place.device,
        tx_queues=item.tx_queues,
        ifindex=item.number,
        address=item.address,
        up=item.up,
    )
