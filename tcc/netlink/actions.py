"""Actions of filters: mirred, gact, skbedit, ctinfo.

Sources: include/uapi/linux/pkt_cls.h and include/uapi/linux/tc_act/.
"""

from collections.abc import Mapping
from typing import Final

from tcc.netlink.attributes import PAD, Array, Field, Nested, Pairs, Schema, decode, encode
from tcc.netlink.objects import STATS2
from tcc.netlink.wire import (
    NAME,
    RAW,
    U16,
    U32,
    U64,
    DecodeError,
    EncodeError,
    Pair,
    Struct,
)

TC_ACT_UNSPEC: Final = -1
TC_ACT_OK: Final = 0
TC_ACT_SHOT: Final = 2
TC_ACT_PIPE: Final = 3
TC_ACT_STOLEN: Final = 4

EGRESS_REDIRECT: Final = 1  # eaction of mirred
EGRESS_MIRROR: Final = 2
INGRESS_REDIRECT: Final = 3
INGRESS_MIRROR: Final = 4

_GENERIC = "index:I capab:I action:i refcnt:i bindcnt:i"  # tc_gen
_TIMES = Struct("install:Q lastuse:Q expires:Q firstuse:Q")
_BITFIELD = Struct("value:I selector:I")

ACTION = Schema(
    "action",
    (
        Field(1, "KIND", NAME),
        Field(2, "OPTIONS", RAW, nested_flag=True),
        Field(3, "INDEX", U32),
        Field(4, "STATS", Nested(STATS2)),
        Field(5, "PAD", PAD),
        Field(6, "COOKIE", RAW),
        Field(7, "FLAGS", _BITFIELD),
        Field(8, "HW_STATS", _BITFIELD),
        Field(9, "USED_HW_STATS", _BITFIELD),
        Field(10, "IN_HW_COUNT", U32),
    ),
)
ACTIONS = Array(Nested(ACTION))

MIRRED = Schema(
    "mirred",
    (
        Field(1, "TM", _TIMES),
        Field(2, "PARMS", Struct(f"{_GENERIC} eaction:i ifindex:I")),
        Field(3, "PAD", PAD),
        Field(4, "BLOCKID", U32),
    ),
)
GACT = Schema(
    "gact",
    (
        Field(1, "TM", _TIMES),
        Field(2, "PARMS", Struct(_GENERIC)),
        Field(3, "PROB", Struct("ptype:H pval:H paction:i")),
        Field(4, "PAD", PAD),
    ),
)
SKBEDIT = Schema(
    "skbedit",
    (
        Field(1, "TM", _TIMES),
        Field(2, "PARMS", Struct(_GENERIC)),
        Field(3, "PRIORITY", U32),
        Field(4, "QUEUE_MAPPING", U16),
        Field(5, "MARK", U32),
        Field(6, "PAD", PAD),
        Field(7, "PTYPE", U16),
        Field(8, "MASK", U32),
        Field(9, "FLAGS", U64),
        Field(10, "QUEUE_MAPPING_MAX", U16),
    ),
)
CTINFO = Schema(
    "ctinfo",
    (
        Field(1, "PAD", PAD),
        Field(2, "TM", _TIMES),
        Field(3, "ACT", Struct(_GENERIC)),
        Field(4, "ZONE", U16),
        Field(5, "PARMS_DSCP_MASK", U32),
        Field(6, "PARMS_DSCP_STATEMASK", U32),
        Field(7, "PARMS_CPMARK_MASK", U32),
        Field(8, "STATS_DSCP_SET", U64),
        Field(9, "STATS_DSCP_ERROR", U64),
        Field(10, "STATS_CPMARK_SET", U64),
    ),
)
ACTION_KINDS: Final[Mapping[str, Schema]] = {
    schema.name: schema for schema in (MIRRED, GACT, SKBEDIT, CTINFO)
}


def action(kind: str, pairs: Pairs) -> list[Pair]:
    """Return one action as an element of an `ACT` attribute.

    The value of `ACT` is a sequence of `(order, action)`, orders from 1.

    Raises:
        EncodeError: an unknown kind or name, or a value outside its range.
    """
    schema = ACTION_KINDS.get(kind)
    if schema is None:
        raise EncodeError(kind, f"no such action here; known: {', '.join(ACTION_KINDS)}")
    return [("KIND", kind), ("OPTIONS", encode(schema, pairs))]


def parse_action(pairs: Pairs) -> tuple[str, list[Pair]]:
    """Return kind and options of one action of a decoded `ACT`.

    Options of a kind that is not known here come back under their numbers.

    Raises:
        DecodeError: no kind, or malformed options.
    """
    values = dict(pairs)
    kind, options = values.get("KIND"), values.get("OPTIONS", b"")
    if not isinstance(kind, str) or not isinstance(options, bytes):
        raise DecodeError("action", "it has no kind")
    return kind, decode(ACTION_KINDS.get(kind, Schema(kind, ())), options)
