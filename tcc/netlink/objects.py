"""What tc's objects have in common on the wire: header, attributes, counters.

Numbers and layouts are those of include/uapi/linux/rtnetlink.h, gen_stats.h and
pkt_sched.h.
"""

import struct
from collections.abc import Callable
from typing import NamedTuple

from tcc.netlink.attributes import HEADER_SIZE, Field, Nested, Schema, decode, walk
from tcc.netlink.handle import Handle
from tcc.netlink.wire import (
    FLAG,
    NAME,
    RAW,
    TEXT,
    U8,
    U32,
    U64,
    DecodeError,
    Pair,
    Struct,
    Table,
)

TCMSG = struct.Struct("=BxxxiIII")  # family, ifindex, handle, parent, info
TCMSG_SIZE = TCMSG.size
_unpack_tcmsg = TCMSG.unpack_from
_BASIC = struct.Struct("=QI")
_PKT64 = struct.Struct("=Q")
_QUEUE = struct.Struct("=IIIII")
_RATE = struct.Struct("=II")
_RATE64 = struct.Struct("=QQ")

STATS_BASIC, STATS_RATE, STATS_QUEUE, STATS_APP, STATS_RATE64 = 1, 2, 3, 4, 5
STATS_PKT64 = 8
_FORMS = {
    STATS_BASIC: _BASIC,
    STATS_RATE: _RATE,
    STATS_QUEUE: _QUEUE,
    STATS_RATE64: _RATE64,
    STATS_PKT64: _PKT64,
}
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

KIND, OPTIONS, STATS, XSTATS, STATS2_NUMBER, STAB_NUMBER = 1, 2, 3, 4, 7, 8
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


def _check_statistic(number: int, size: int) -> None:
    """Raise `DecodeError` if a generic statistic is shorter than its structure."""
    form = _FORMS.get(number)
    if form is not None and size < form.size:
        raise DecodeError("stats2", f"part {number}: expected {form.size} bytes, got {size}")


class Layout:
    """Where the attributes of a message stand, relative to its first one.

    The messages of one dump mostly have the same kind and the same attributes
    with the same lengths.  A layout remembers all headers of one message,
    those inside TCA_STATS2 included, and its kind: where `unpack` gives what
    is `expected`, they stand in the very same places, and need no walk.
    """

    __slots__ = ("expected", "kind", "places", "stats", "unpack", "unpack_counters")

    def __init__(self, data: bytes, start: int, stop: int) -> None:
        self.kind = ""
        self.places: dict[int, tuple[int, int]] = {}
        self.stats: dict[int, tuple[int, int]] = {}
        known: list[tuple[int, int]] = []  # spans whose bytes make the layout what it is
        for number, first, last in walk(data, start, stop, "tca"):
            self.places[number] = (first - start, last - start)
            known.append((first - start - HEADER_SIZE, first - start))
            if number == KIND:
                self.kind = NAME.decode("KIND", data, first, last)
                known.append((first - start, last - start))
            if number == STATS2_NUMBER:
                for part, inner, end in walk(data, first, last, "stats2"):
                    _check_statistic(part, end - inner)
                    self.stats[part] = (inner - start, end - start)
                    known.append((inner - start - HEADER_SIZE, inner - start))
        codes = ["="]
        done = 0
        for first, last in known:
            codes.append(f"{first - done}x{last - first}s")
            done = last
        self.unpack = struct.Struct("".join(codes)).unpack_from
        self.expected = self.unpack(data, start)
        self.unpack_counters = self._usual_counters()

    def _usual_counters(self) -> Callable[[bytes, int], tuple[int, ...]] | None:
        """Return what reads `Counters` at a stroke, if there are just the usual two parts."""
        if self.stats.keys() - {STATS_APP} != {STATS_BASIC, STATS_QUEUE}:
            return None
        basic, queue = self.stats[STATS_BASIC][0], self.stats[STATS_QUEUE][0]
        gap = queue - basic - _BASIC.size
        return struct.Struct(f"={basic}xQI{gap}xIIIII").unpack_from if gap > 0 else None


_layouts: dict[int, Layout] = {}  # the last one seen for each length
_MOST_LAYOUTS = 256


def _new_layout(data: bytes, start: int, stop: int) -> Layout:
    """Return and remember the layout of the attributes in `data[start:stop]`.

    Raises:
        DecodeError: malformed data.
    """
    if len(_layouts) >= _MOST_LAYOUTS:
        _layouts.clear()
    found = _layouts[stop - start] = Layout(data, start, stop)
    return found


class TcObject:
    """A qdisc, class, filter or chain as the kernel reports it.

    What it says of itself is checked when the object is made and decoded when
    it is asked for.  Made of what a `Reply` holds: `TcObject(*reply)`.

    `kind` is empty if the kernel says none; `info` is the reference count of a
    qdisc; of a filter it holds priority and protocol.

    Raises:
        DecodeError: malformed data.
    """

    __slots__ = (
        "_data",
        "_handle",
        "_layout",
        "_parent",
        "_start",
        "_stop",
        "ifindex",
        "info",
        "kind",
        "message_type",
    )

    def __init__(self, message_type: int, flags: int, data: bytes, start: int, stop: int) -> None:
        self.message_type = message_type
        if stop - start < TCMSG_SIZE:
            raise DecodeError("tcmsg", f"expected {TCMSG_SIZE} bytes, got {stop - start}")
        self.ifindex: int
        self.info: int
        _, self.ifindex, self._handle, self._parent, self.info = _unpack_tcmsg(data, start)
        start += TCMSG_SIZE
        found = _layouts.get(stop - start)
        if found is None or found.unpack(data, start) != found.expected:
            found = _new_layout(data, start, stop)
        self._data = data
        self._start = start
        self._stop = stop
        self._layout = found
        self.kind = found.kind

    def _raw(self, number: int) -> bytes | None:
        place = self._layout.places.get(number)
        if place is None:
            return None
        return self._data[self._start + place[0] : self._start + place[1]]

    @property
    def handle(self) -> Handle:
        """The object's own handle."""
        return Handle(self._handle)

    @property
    def parent(self) -> Handle:
        """Where it is attached."""
        return Handle(self._parent)

    @property
    def options(self) -> bytes | None:
        """The payload of TCA_OPTIONS."""
        return self._raw(OPTIONS)

    @property
    def sized(self) -> bool:
        """Whether a size table (tc-stab(8)) hangs on it."""
        return STAB_NUMBER in self._layout.places

    @property
    def estimated(self) -> bool:
        """Whether a rate estimator runs on it (tc(8), `estimator`)."""
        return STATS_RATE in self._layout.stats

    @property
    def xstats(self) -> bytes | None:
        """The kind's own statistics (TCA_STATS_APP, or TCA_XSTATS of old kernels)."""
        place = self._layout.stats.get(STATS_APP)
        if place is None:
            return self._raw(XSTATS)
        return self._data[self._start + place[0] : self._start + place[1]]

    @property
    def attributes(self) -> list[Pair]:
        """Every attribute, by the names of `TCA`."""
        return decode(TCA, self._data, self._start, self._stop)

    @property
    def counters(self) -> Counters:
        """The generic statistics, zeros where the kernel sends none.

        The 64-bit ones win over the 32-bit ones, in whatever order they stand.
        """
        found = self._layout
        if found.unpack_counters is not None:
            return Counters(*found.unpack_counters(self._data, self._start))
        size, packets = self._statistic(STATS_BASIC) or (0, 0)
        (packets,) = self._statistic(STATS_PKT64) or (packets,)
        queue = self._statistic(STATS_QUEUE) or (0, 0, 0, 0, 0)
        rates = self._statistic(STATS_RATE64) or self._statistic(STATS_RATE) or (0, 0)
        return Counters(size, packets, *queue, *rates)

    def _statistic(self, number: int) -> tuple[int, ...] | None:
        """Return the integers of one generic statistic; its size has been checked."""
        place = self._layout.stats.get(number)
        if place is None:
            return None
        return _FORMS[number].unpack_from(self._data, self._start + place[0])
