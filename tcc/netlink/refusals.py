"""Naming the attribute that the kernel refused.

An extended acknowledgement says at which byte of the request the fault is
(NLMSGERR_ATTR_OFFS).  For a request about a qdisc, class or filter this module
turns that into a name such as `OPTIONS.DIFFSERV_MODE`.
"""

from tcc.netlink.attributes import locate, walk
from tcc.netlink.filters import FILTER_KINDS
from tcc.netlink.kinds import SCHEMAS
from tcc.netlink.messages import HEADER_SIZE, Ack, Message
from tcc.netlink.objects import KIND, OPTIONS, TCA, TCMSG
from tcc.netlink.wire import NAME


def refused_attribute(message: Message, ack: Ack) -> str | None:
    """Return the dotted name of the attribute at fault; None if the kernel does not say."""
    if ack.offset is None:
        return None
    offset = ack.offset - HEADER_SIZE
    body = message.body
    kind = ""
    for number, first, last in walk(body, TCMSG.size, len(body), TCA.name):
        if number == KIND:
            kind = NAME.decode("KIND", body, first, last)
        schema = SCHEMAS.get(kind) or FILTER_KINDS.get(kind)
        if number == OPTIONS and schema is not None and first <= offset < last:
            inner = locate(schema, body[first:last], offset - first)
            return f"OPTIONS.{inner}" if inner else "OPTIONS"
    return locate(TCA, body[TCMSG.size :], offset - TCMSG.size)
