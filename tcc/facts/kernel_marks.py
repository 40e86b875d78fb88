"""Who uses marks in rules of routing and in filters of tc, asked of the kernel.

Rules: include/uapi/linux/fib_rules.h. Filters: fw and flower compare marks; the actions connmark,
ctinfo, ct and skbedit move or set them (include/uapi/linux/pkt_cls.h and tc_act/).
"""

import errno
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tcc.facts.model import MarkUse
from tcc.facts.nft_marks import ALL, Bits
from tcc.netlink import actions, filters
from tcc.netlink.attributes import Field, Schema, decode
from tcc.netlink.handle import CLSACT_EGRESS, CLSACT_INGRESS, INGRESS, Handle
from tcc.netlink.messages import KernelRefusal, Message, Reply
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import U32, DecodeError, EncodeError, Value

OURS: Final = 49
"""The priority of our own filter for what comes in (`tcc.lower.ingress`)."""
RTM_GETRULE: Final = 34
_RULE_HEADER: Final = struct.calcsize("=8BI")
_RULE = Schema("rule", (Field(6, "PRIORITY", U32), Field(10, "FWMARK", U32),
                        Field(16, "FWMASK", U32)))  # fmt: skip
_FAMILIES: Final = (2, 10)
_CT_MARK, _CT_MARK_MASK = 5, 6  # TCA_CT_MARK, TCA_CT_MARK_MASK
Values = Mapping[str | int, Value]


def rule_marks(route: RouteSocket) -> Iterator[MarkUse]:
    """Yield which rules of routing look at the packet's mark; kernels may have none at all.

    Raises:
        OSError: the kernel would not list.
    """
    for family in _FAMILIES:
        body = bytes([family]) + bytes(_RULE_HEADER - 1)
        try:
            replies = route.dump(Message(RTM_GETRULE, 0, body), Reply)
        except KernelRefusal as problem:  # built without CONFIG_IP_MULTIPLE_TABLES
            if problem.errno not in {errno.EAFNOSUPPORT, errno.EOPNOTSUPP}:
                raise
            continue
        for reply in replies:
            told = dict(decode(_RULE, reply.data, reply.start + _RULE_HEADER, reply.stop))
            mask = told.get("FWMASK", 0)
            if isinstance(mask, int) and mask:
                yield MarkUse(who=f"ip rule {told.get('PRIORITY', 0)}", mark="packet", mask=mask)


def filter_marks(
    route: RouteSocket, hanging: Sequence[TcObject], names: Mapping[int, str]
) -> Iterator[MarkUse]:
    """Yield which filters use marks, by device; our own is left out.

    Args:
        route: a socket in the namespace.
        hanging: its qdiscs, on which filters may hang.
        names: of devices by number.

    Raises:
        OSError: the kernel would not list.
    """
    for one in hanging:
        for parent in _parents(one):
            for found in filters.dump(route, one.ifindex, parent):
                if parent == CLSACT_INGRESS and filters.priority(found) == OURS:
                    continue
                who = f"tc filter of {names.get(one.ifindex, one.ifindex)}"
                for mark, mask in _used(found):
                    yield MarkUse(who=who, mark=mark, mask=mask)


def _parents(one: TcObject) -> tuple[Handle, ...]:
    if one.parent == INGRESS:
        return (CLSACT_INGRESS, CLSACT_EGRESS) if one.kind == "clsact" else (CLSACT_INGRESS,)
    return (one.handle,) if one.handle else ()


def _used(found: TcObject) -> Iterator[Bits]:
    """Yield which bits a filter compares, and those that its actions use."""
    try:
        options: Values = dict(filters.decode_filter(found.kind, found.options or b""))
    except (DecodeError, EncodeError):  # of a kind that compares no marks, or not as known
        return
    if found.kind == "fw" and found.handle:
        yield "packet", _number(options.get("MASK"), ALL)
    if found.kind == "u32" and isinstance(compared := options.get("MARK"), Mapping):
        yield "packet", compared["mask"]
    if "KEY_CT_MARK" in options:
        yield "connection", _number(options.get("KEY_CT_MARK_MASK"), ALL)
    acts = options.get("ACT")
    for _, act in acts if isinstance(acts, list) else ():
        yield from _acted(act)


def _acted(act: Sequence[tuple[str | int, Value]]) -> Iterator[Bits]:
    try:
        kind, pairs = actions.parse_action(act)
    except DecodeError:
        return
    told: Values = dict(pairs)
    if kind == "connmark":  # brings the whole mark back (tcf_connmark_act())
        yield "connection", ALL
        yield "packet", ALL
    elif kind == "ctinfo":
        copied = _number(told.get("PARMS_CPMARK_MASK"), 0)
        marks = ("PARMS_DSCP_MASK", "PARMS_DSCP_STATEMASK")
        yield "connection", copied | _number(told.get(marks[0]), 0) | _number(told.get(marks[1]), 0)
        yield "packet", copied
    elif kind == "ct" and _CT_MARK in told:
        mask = told.get(_CT_MARK_MASK)
        yield "connection", struct.unpack("=I", mask)[0] if isinstance(mask, bytes) else ALL
    elif kind == "skbedit" and "MARK" in told:
        yield "packet", _number(told.get("MASK"), ALL)


def _number(value: Value | None, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
