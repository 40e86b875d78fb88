"""One step of a plan as one request to the kernel.

Flags are those of tc(8): add is CREATE and EXCL, change none, replace CREATE and REPLACE
(net/sched/sch_api.c, tc_modify_qdisc()). EXCL is what finds out that somebody else put a
qdisc where only the kernel's default was.
"""

from tcc.apply.codec import payload_of
from tcc.netlink import qdisc
from tcc.netlink.handle import Handle
from tcc.netlink.messages import Message
from tcc.netlink.qdisc import QdiscMessage
from tcc.plan.operation import Operation, Verb
from tcc.plan.state import QdiscItem


def request(step: Operation, ifindex: int) -> Message:
    """Return the request that carries out `step` on the device `ifindex`.

    Raises:
        EncodeError: settings that their attributes cannot carry.
    """
    parent = Handle.parse(step.place.at)
    item = step.before if step.verb is Verb.DELETE else step.after
    if not isinstance(item, QdiscItem):
        raise TypeError(f"{step.place} is no place for a qdisc")
    if step.verb is Verb.DELETE:
        return qdisc.delete(QdiscMessage(ifindex, Handle(item.handle), parent))
    message = QdiscMessage(ifindex, Handle(item.handle), parent, item.kind, payload_of(item))
    if step.verb is Verb.CHANGE:
        return qdisc.change(message)
    return qdisc.add(message) if step.verb is Verb.ADD else qdisc.replace(message)
