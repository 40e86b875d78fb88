"""What each kind of qdisc says on the wire: options and statistics.

Names are the kernel's without their prefix (TCA_CAKE_BASE_RATE64 is
`BASE_RATE64`), values are in the kernel's units: rates in bytes per second,
CAKE's and fq_codel's times in microseconds, tbf's and htb's in ticks of 64 ns.
What the values mean for a policy is not decided here.

Sources: include/uapi/linux/pkt_sched.h; for CAKE also cake_dump(),
cake_dump_stats() and cake_dump_class_stats() of net/sched/sch_cake.c.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from tcc.netlink.attributes import PAD, Array, Field, Nested, Schema
from tcc.netlink.repeats import Repeating
from tcc.netlink.wire import (
    FLAG,
    S32,
    U8,
    U32,
    U64,
    Buffer,
    DecodeError,
    EncodeError,
    Record,
    Struct,
    Table,
    Value,
    Wire,
)

CAKE = Schema(
    "cake",
    (
        Field(1, "PAD", PAD),
        Field(2, "BASE_RATE64", U64),
        Field(3, "DIFFSERV_MODE", U32),
        Field(4, "ATM", U32),
        Field(5, "FLOW_MODE", U32),
        Field(6, "OVERHEAD", S32),
        Field(7, "RTT", U32),
        Field(8, "TARGET", U32),
        Field(9, "AUTORATE", U32),
        Field(10, "MEMORY", U32),
        Field(11, "NAT", U32),
        Field(12, "RAW", U32),  # its presence counts, its value does not; 4 bytes all the same
        Field(13, "WASH", U32),
        Field(14, "MPU", U32),
        Field(15, "INGRESS", U32),
        Field(16, "ACK_FILTER", U32),
        Field(17, "SPLIT_GSO", U32),
        Field(18, "FWMARK", U32),
    ),
)

CAKE_TIN = Schema(
    "cake tin",
    (
        Field(1, "PAD", PAD),
        Field(2, "SENT_PACKETS", U32),
        Field(3, "SENT_BYTES64", U64),
        Field(4, "DROPPED_PACKETS", U32),
        Field(5, "DROPPED_BYTES64", U64),
        Field(6, "ACKS_DROPPED_PACKETS", U32),
        Field(7, "ACKS_DROPPED_BYTES64", U64),
        Field(8, "ECN_MARKED_PACKETS", U32),
        Field(9, "ECN_MARKED_BYTES64", U64),
        Field(10, "BACKLOG_PACKETS", U32),
        Field(11, "BACKLOG_BYTES", U32),
        Field(12, "THRESHOLD_RATE64", U64),
        Field(13, "TARGET_US", U32),
        Field(14, "INTERVAL_US", U32),
        Field(15, "WAY_INDIRECT_HITS", U32),
        Field(16, "WAY_MISSES", U32),
        Field(17, "WAY_COLLISIONS", U32),
        Field(18, "PEAK_DELAY_US", U32),
        Field(19, "AVG_DELAY_US", U32),
        Field(20, "BASE_DELAY_US", U32),
        Field(21, "SPARSE_FLOWS", U32),
        Field(22, "BULK_FLOWS", U32),
        Field(23, "UNRESPONSIVE_FLOWS", U32),
        Field(24, "MAX_SKBLEN", U32),
        Field(25, "FLOW_QUANTUM", U32),
    ),
)

# One enumeration serves qdisc (2 to 10, 17) and class (11 to 16).
CAKE_STATS = Schema(
    "cake statistics",
    (
        Field(1, "PAD", PAD),
        Field(2, "CAPACITY_ESTIMATE64", U64),
        Field(3, "MEMORY_LIMIT", U32),
        Field(4, "MEMORY_USED", U32),
        Field(5, "AVG_NETOFF", U32),
        Field(6, "MIN_NETLEN", U32),
        Field(7, "MAX_NETLEN", U32),
        Field(8, "MIN_ADJLEN", U32),
        Field(9, "MAX_ADJLEN", U32),
        Field(10, "TIN_STATS", Array(Nested(CAKE_TIN))),
        Field(11, "DEFICIT", S32),
        Field(12, "COBALT_COUNT", U32),
        Field(13, "DROPPING", U32),
        Field(14, "DROP_NEXT_US", S32),
        Field(15, "P_DROP", U32),
        Field(16, "BLUE_TIMER_US", S32),
        Field(17, "ACTIVE_QUEUES", U32),
    ),
)


def _ratespec(name: str) -> str:
    """Return the layout of a struct tc_ratespec whose fields are called `name`_..."""
    fields = ("cell_log:B", "linklayer:B", "overhead:H", "cell_align:h", "mpu:H", "rate:I")
    return " ".join(f"{name}_{field}" for field in fields)


TBF = Schema(
    "tbf",
    (
        Field(
            1,
            "PARMS",
            Struct(f"{_ratespec('rate')} {_ratespec('peakrate')} limit:I buffer:I mtu:I"),
        ),
        Field(2, "RTAB", Table("I")),
        Field(3, "PTAB", Table("I")),
        Field(4, "RATE64", U64),
        Field(5, "PRATE64", U64),
        Field(6, "BURST", U32),
        Field(7, "PBURST", U32),
        Field(8, "PAD", PAD),
    ),
)

FQ_CODEL = Schema(
    "fq_codel",
    (
        Field(1, "TARGET", U32),
        Field(2, "LIMIT", U32),
        Field(3, "INTERVAL", U32),
        Field(4, "ECN", U32),
        Field(5, "FLOWS", U32),
        Field(6, "QUANTUM", U32),
        Field(7, "CE_THRESHOLD", U32),
        Field(8, "DROP_BATCH_SIZE", U32),
        Field(9, "MEMORY_LIMIT", U32),
        Field(10, "CE_THRESHOLD_SELECTOR", U8),
        Field(11, "CE_THRESHOLD_MASK", U8),
    ),
)

HTB = Schema(
    "htb",
    (
        Field(
            1,
            "PARMS",
            Struct(
                f"{_ratespec('rate')} {_ratespec('ceil')}"
                " buffer:I cbuffer:I quantum:I level:I prio:I"
            ),
        ),
        Field(2, "INIT", Struct("version:I rate2quantum:I defcls:I debug:I direct_pkts:I")),
        Field(3, "CTAB", Table("I")),
        Field(4, "RTAB", Table("I")),
        Field(5, "DIRECT_QLEN", U32),
        Field(6, "RATE64", U64),
        Field(7, "CEIL64", U64),
        Field(8, "PAD", PAD),
        Field(9, "OFFLOAD", FLAG),
    ),
)

EMPTY = Schema("no options", ())

FIFO = Struct("limit:I")
SFQ_V0 = Struct("quantum:I perturb_period:i limit:I divisor:I flows:I")
SFQ_V1 = Struct(
    "quantum:I perturb_period:i limit:I divisor:I flows:I depth:I headdrop:I"
    " red_limit:I qth_min:I qth_max:I Wlog:B Plog:B Scell_log:B flags:B max_P:I"
    " prob_drop:I forced_drop:I prob_mark:I forced_mark:I prob_mark_head:I forced_mark_head:I"
)


class Sfq:
    """SFQ's options: a structure that grew; always sent in its second form, as tc does."""

    __slots__ = ()

    def encode(self, name: str, value: Value) -> bytes:
        """Return the 72 bytes of struct tc_sfq_qopt_v1."""
        return SFQ_V1.encode(name, value)

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> Record:
        """Read the second form, or the first where there is no more."""
        layout = SFQ_V1 if stop - start >= SFQ_V1.size else SFQ_V0
        return layout.decode(name, data, start, stop)


class FqCodelStats:
    """fq_codel's statistics: a number that says which structure follows.

    `type` 0 is the qdisc, 1 a class (struct tc_fq_codel_xstats).
    """

    __slots__ = ()

    _FORMS: Final[Mapping[int, Struct]] = {
        0: Struct(
            "type:I maxpacket:I drop_overlimit:I ecn_mark:I new_flow_count:I new_flows_len:I"
            " old_flows_len:I ce_mark:I memory_usage:I drop_overmemory:I"
        ),
        1: Struct("type:I deficit:i ldelay:I count:I lastcount:I dropping:I drop_next:i"),
    }

    def encode(self, name: str, value: Value) -> bytes:
        """Return the structure that the mapping's `type` names."""
        kind = value.get("type", 0) if isinstance(value, Mapping) else 0
        if kind not in self._FORMS:
            raise EncodeError(f"{name}.type", f"{kind} is outside 0..1")
        return self._FORMS[kind].encode(name, value)

    def decode(self, name: str, data: Buffer, start: int, stop: int) -> Record:
        """Read the structure that the first four bytes name."""
        kind = U32.decode(f"{name}.type", data, start, min(stop, start + 4))
        if kind not in self._FORMS:
            raise DecodeError(f"{name}.type", f"{kind} is outside 0..1")
        return self._FORMS[kind].decode(name, data, start, stop)


class Kind(NamedTuple):
    """One kind of qdisc on the wire; None where it has nothing of the sort."""

    name: str
    options: Wire
    class_options: Wire | None = None
    stats: Wire | None = None
    class_stats: Wire | None = None


_CAKE = Repeating(Nested(CAKE))
_HTB = Repeating(Nested(HTB))
_NONE = Nested(EMPTY)
_CAKE_STATS = Repeating(Nested(CAKE_STATS))
_FQ_CODEL_STATS = FqCodelStats()

KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("cake", _CAKE, stats=_CAKE_STATS, class_stats=_CAKE_STATS),
        Kind("cake_mq", _CAKE),
        Kind("tbf", Repeating(Nested(TBF))),
        Kind("sfq", Sfq(), class_stats=Struct("allot:i")),
        Kind(
            "fq_codel",
            Repeating(Nested(FQ_CODEL)),
            stats=_FQ_CODEL_STATS,
            class_stats=_FQ_CODEL_STATS,
        ),
        Kind("bfifo", FIFO),
        Kind("pfifo", FIFO),
        Kind("pfifo_head_drop", FIFO),
        Kind(
            "htb",
            _HTB,
            class_options=_HTB,
            class_stats=Struct("lends:I borrows:I giants:I tokens:i ctokens:i"),
        ),
        Kind("mq", _NONE),
        Kind("ingress", _NONE),
        Kind("clsact", _NONE),
    )
}

# The kinds whose options are attributes, for those who must name one of them.
SCHEMAS: Final[Mapping[str, Schema]] = {
    "cake": CAKE,
    "cake_mq": CAKE,
    "tbf": TBF,
    "fq_codel": FQ_CODEL,
    "htb": HTB,
}


def encode_options(kind: str, value: Value) -> bytes:
    """Return the payload of TCA_OPTIONS for a qdisc of `kind`.

    `value` is a sequence of pairs, or for sfq and the fifos a mapping.

    Raises:
        EncodeError: an unknown kind or name, or a value outside its range.
    """
    return _kind(kind).options.encode(kind, value)


def decode_options(kind: str, data: Buffer) -> Value:
    """Return what `encode_options` takes, from the payload of TCA_OPTIONS.

    Raises:
        EncodeError: an unknown kind.
        DecodeError: malformed data.
    """
    return _kind(kind).options.decode(kind, data, 0, len(data))


def decode_stats(kind: str, data: Buffer) -> Value:
    """Return a qdisc's own statistics (`TcObject.xstats`); the errors of `decode_options`."""
    return _decode(kind, _kind(kind).stats, data)


def decode_class_stats(kind: str, data: Buffer) -> Value:
    """Return a class's own statistics; the errors of `decode_options`."""
    return _decode(kind, _kind(kind).class_stats, data)


def decode_class_options(kind: str, data: Buffer) -> Value:
    """Return a class's options; the errors of `decode_options`."""
    return _decode(kind, _kind(kind).class_options, data)


def encode_class_options(kind: str, value: Value) -> bytes:
    """Return the payload of TCA_OPTIONS for a class; the errors of `encode_options`."""
    wire = _kind(kind).class_options
    if wire is None:
        raise EncodeError(kind, "its classes take no options")
    return wire.encode(kind, value)


def _kind(name: str) -> Kind:
    kind = KINDS.get(name)
    if kind is None:
        raise EncodeError(name, f"no such kind of qdisc here; known: {', '.join(KINDS)}")
    return kind


def _decode(name: str, wire: Wire | None, data: Buffer) -> Value:
    if wire is None:
        raise DecodeError(name, f"{len(data)} bytes of statistics or options it should not have")
    return wire.decode(name, data, 0, len(data))
