"""What tc's objects have in common on the wire: header, attributes, counters.

Numbers and layouts are those of include/uapi/linux/rtnetlink.h, gen_stats.h and
pkt_sched.h.
"""

import struct
from typing import NamedTuple

from tcc.netlink.attributes import Field, Nested, Schema, decode, walk
from tcc.netlink.handle import Handle
from tcc.netlink.messages import Reply
from tcc.netlink.wire import (
    FLAG,
    NAME,
    RAW,
    TEXT,
    U8,
    U32,
    U64,
    Buffer,
    DecodeError,
    Pair,
    Struct,
    Table,
)

TCMSG = struct.Struct("=BxxxiIII")  # family, ifindex, handle, parent, info
_BASIC = struct.Struct("=QI")
_PKT64 = struct.Struct("=Q")
_QUEUE = struct.Struct("=IIIII")
_RATE = struct.Struct("=II")
_RATE64 = struct.Struct("=QQ")

STATS_BASIC, STATS_RATE, STATS_QUEUE, STATS_APP, STATS_RATE64 = 1, 2, 3, 4, 5
STATS_PKT64 = 8
STATS2 = Schema(
    "stats2",
    (
        Field(STATS_BASIC, "BASIC", Struct("bytes:Q packets:I")),
        Field(STATS_RATE, "RATE_EST", Struct("byte_rate:I packet_rate:I")),
        Field(STATS_QUEUE, "QUEUE", Struct("qlen:I backlog:I drops:I requeues:I overlimits:I")),
        Field(STATS_APP, "APP", RAW),
        Field(STATS_RATE64, "RATE_EST64", Struct("byte_rate:Q packet_rate:Q")),
        Field(7, "BASIC_HW", Struct("bytes:Q packets:I")),
        Field(STATS_PKT64, "PKT64", U64),
    ),
)

STAB = Schema(
    "stab",
    (
        Field(
            1,
            "BASE",
            Struct("cell_log:B size_log:B cell_align:h overhead:i linklayer:I mpu:I mtu:I tsize:I"),
        ),
        Field(2, "DATA", Table("H")),
    ),
)

KIND, OPTIONS, STATS, XSTATS, STATS2_NUMBER = 1, 2, 3, 4, 7
TCA = Schema(
    "tca",
    (
        Field(KIND, "KIND", NAME),
        Field(OPTIONS, "OPTIONS", RAW),
        Field(
            STATS,
            "STATS",
            Struct(
                "bytes:Q packets:I drops:I overlimits:I byte_rate:I packet_rate:I qlen:I backlog:I"
            ),
        ),
        Field(XSTATS, "XSTATS", RAW),
        Field(5, "RATE", Struct("interval:b ewma_log:B")),
        Field(6, "FCNT", RAW),
        Field(STATS2_NUMBER, "STATS2", Nested(STATS2)),
        Field(8, "STAB", Nested(STAB)),
        Field(10, "DUMP_INVISIBLE", FLAG),
        Field(11, "CHAIN", U32),
        Field(12, "HW_OFFLOAD", U8),
        Field(13, "INGRESS_BLOCK", U32),
        Field(14, "EGRESS_BLOCK", U32),
        Field(15, "DUMP_FLAGS", RAW),
        Field(16, "EXT_WARN_MSG", TEXT),
    ),
)


def tc_body(ifindex: int, handle: int, parent: int, info: int, attributes: bytes) -> bytes:
    """Return the body of a tc request; family is unspecified."""
    return TCMSG.pack(0, ifindex, handle, parent, info) + attributes


class Counters(NamedTuple):
    """What every qdisc and class counts; rates are of the kernel's estimator, if any.

    `packets` is the 64-bit counter where the kernel sends it (TCA_STATS_PKT64,
    only beyond 32 bits).
    """

    bytes: int
    packets: int
    qlen: int
    backlog: int
    drops: int
    requeues: int
    overlimits: int
    byte_rate: int = 0
    packet_rate: int = 0


class TcObject:
    """A qdisc, class, filter or chain as the kernel reports it, decoded when asked.

    `info` is the reference count of a qdisc; of a filter it holds priority and
    protocol.  All properties raise `DecodeError` on malformed data.
    """

    __slots__ = (
        "_data",
        "_handle",
        "_parent",
        "_start",
        "_stop",
        "_table",
        "ifindex",
        "info",
        "message_type",
    )

    def __init__(self, reply: Reply) -> None:
        kind, _, data, start, stop = reply
        if stop - start < TCMSG.size:
            raise DecodeError("tcmsg", f"expected {TCMSG.size} bytes, got {stop - start}")
        _, ifindex, self._handle, self._parent, info = TCMSG.unpack_from(data, start)
        self.ifindex: int = ifindex
        self.info: int = info
        self.message_type = kind
        self._data = data
        self._start = start + TCMSG.size
        self._stop = stop
        self._table: dict[int, tuple[int, int]] | None = None

    def _find(self, number: int) -> tuple[int, int] | None:
        if self._table is None:
            self._table = {
                found: (first, last)
                for found, first, last in walk(self._data, self._start, self._stop, "tca")
            }
        return self._table.get(number)

    def _raw(self, number: int) -> bytes | None:
        place = self._find(number)
        return None if place is None else self._data[place[0] : place[1]]

    @property
    def handle(self) -> Handle:
        """The object's own handle."""
        return Handle(self._handle)

    @property
    def parent(self) -> Handle:
        """Where it is attached."""
        return Handle(self._parent)

    @property
    def kind(self) -> str:
        """The kind, such as `cake`; empty if the kernel says none."""
        place = self._find(KIND)
        return "" if place is None else NAME.decode("KIND", self._data, *place)

    @property
    def options(self) -> bytes | None:
        """The payload of TCA_OPTIONS."""
        return self._raw(OPTIONS)

    @property
    def xstats(self) -> bytes | None:
        """The kind's own statistics (TCA_STATS_APP, or TCA_XSTATS of old kernels)."""
        return self._stats2().get(STATS_APP, self._raw(XSTATS))

    @property
    def attributes(self) -> list[Pair]:
        """Every attribute, by the names of `TCA`."""
        return decode(TCA, self._data, self._start, self._stop)

    @property
    def counters(self) -> Counters:
        """The generic statistics; zeros where the kernel sends none."""
        place = self._find(STATS2_NUMBER)
        return Counters(0, 0, 0, 0, 0, 0, 0) if place is None else counters(self._data, *place)

    def _stats2(self) -> dict[int, bytes]:
        place = self._find(STATS2_NUMBER)
        if place is None:
            return {}
        return {
            number: self._data[first:last]
            for number, first, last in walk(self._data, *place, "stats2")
        }


def counters(data: Buffer, start: int, stop: int) -> Counters:
    """Read the generic statistics in the TCA_STATS2 nest `data[start:stop]`.

    The 64-bit parts win over the 32-bit ones, in whatever order they stand.
    """
    places = {number: (first, last) for number, first, last in walk(data, start, stop, "stats2")}
    size, packets = _part(_BASIC, data, places.get(STATS_BASIC)) or (0, 0)
    queue = _part(_QUEUE, data, places.get(STATS_QUEUE)) or (0, 0, 0, 0, 0)
    if STATS_PKT64 in places:
        (packets,) = _part(_PKT64, data, places[STATS_PKT64]) or (packets,)
    rates = _part(_RATE64, data, places.get(STATS_RATE64))
    rates = rates or _part(_RATE, data, places.get(STATS_RATE)) or (0, 0)
    return Counters(size, packets, *queue, *rates)


def _part(
    layout: struct.Struct, data: Buffer, place: tuple[int, int] | None
) -> tuple[int, ...] | None:
    """Return the integers of one statistics structure; None if it is absent."""
    if place is None:
        return None
    if place[1] - place[0] < layout.size:
        raise DecodeError("stats2", f"expected {layout.size} bytes, got {place[1] - place[0]}")
    return layout.unpack_from(data, place[0])
