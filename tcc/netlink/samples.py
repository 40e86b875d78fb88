"""What every qdisc has counted, read fast and again and again: for status and metrics.

The messages of one dump mostly have the same attributes in the same places and differ in
their numbers alone. So the first message of a shape is walked, and what is wanted of it is
remembered as one struct format; of the next one of that length all numbers are unpacked at a
stroke, and if its headers and its kind are the very same, they are what they were. Whatever
has another shape is walked in its turn, and a malformed one is a `DecodeError`.

Sources: gnet_stats_*() of net/core/gen_stats.c; cake_dump_stats() of net/sched/sch_cake.c;
fq_codel_dump_stats() of net/sched/sch_fq_codel.c.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias, cast

from tcc.collector import collection_paused
from tcc.netlink.attributes import HEADER_SIZE, Array, Nested, Schema, walk
from tcc.netlink.kinds import CAKE_STATS, SCHEMAS, decode_stats
from tcc.netlink.messages import RTM_GETQDISC, Message
from tcc.netlink.objects import (
    KIND,
    OPTIONS,
    STATS2,
    STATS2_NUMBER,
    STATS_APP,
    TCMSG_SIZE,
    tc_body,
)
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import NAME, DecodeError, Scalar, Struct, Wire

Numbers: TypeAlias = tuple[Any, ...]  # what struct gives: integers, and bytes for headers
Path: TypeAlias = tuple[str | int, ...]
MOST_SHAPES: Final = 256
_KIND_ENDS: Final = TCMSG_SIZE + HEADER_SIZE + 16


class Tin(NamedTuple):
    """One tin of a CAKE, in the order in which the kernel tells; times are microseconds.

    `sent_packets` and `sent_bytes` count what arrived at the tin, dropped later or not.
    """

    threshold_rate: int
    """Bytes per second."""
    sent_bytes: int
    backlog_bytes: int
    target_us: int
    interval_us: int
    sent_packets: int
    drops: int
    ecn_mark: int
    ack_drops: int
    peak_delay_us: int
    avg_delay_us: int
    base_delay_us: int
    way_indirect_hits: int
    way_misses: int
    way_collisions: int
    sparse_flows: int
    bulk_flows: int
    unresponsive_flows: int
    max_pkt_len: int
    flow_quantum: int


class Cake(NamedTuple):
    """What a CAKE tells of itself; sizes in bytes, the capacity in bytes per second.

    `memory_used` is the most that it ever was.
    """

    capacity_estimate: int
    memory_limit: int
    memory_used: int
    avg_hdr_offset: int
    min_network_size: int
    max_network_size: int
    min_adj_size: int
    max_adj_size: int
    active_queues: int
    tins: tuple[Tin, ...]


class FqCodel(NamedTuple):
    """What an fq_codel tells of itself."""

    ecn_mark: int
    new_flows: int
    old_flows: int
    memory_used: int
    drop_overlimit: int


class Sample(NamedTuple):
    """One qdisc at one moment.

    `rate` is what it is set to, bytes per second, 0 without one; `mode` is CAKE's number for
    its set of tins. Counters that the kernel did not send are 0.
    """

    kind: str
    ifindex: int
    handle: int
    parent: int
    bytes: int
    packets: int
    qlen: int
    backlog: int
    drops: int
    requeues: int
    overlimits: int
    rate: int
    mode: int
    own: Cake | FqCodel | None


_TIN: Final = (
    "THRESHOLD_RATE64", "SENT_BYTES64", "BACKLOG_BYTES", "TARGET_US", "INTERVAL_US",
    "SENT_PACKETS", "DROPPED_PACKETS", "ECN_MARKED_PACKETS", "ACKS_DROPPED_PACKETS",
    "PEAK_DELAY_US", "AVG_DELAY_US", "BASE_DELAY_US", "WAY_INDIRECT_HITS", "WAY_MISSES",
    "WAY_COLLISIONS", "SPARSE_FLOWS", "BULK_FLOWS", "UNRESPONSIVE_FLOWS", "MAX_SKBLEN",
    "FLOW_QUANTUM",
)  # fmt: skip
_CAKE: Final = (
    "CAPACITY_ESTIMATE64", "MEMORY_LIMIT", "MEMORY_USED", "AVG_NETOFF", "MIN_NETLEN",
    "MAX_NETLEN", "MIN_ADJLEN", "MAX_ADJLEN", "ACTIVE_QUEUES",
)  # fmt: skip
_QUEUE: Final = ("qlen", "backlog", "drops", "requeues", "overlimits")
_STATS: Final = {"cake": CAKE_STATS}
_APP: Final = ("STATS2", "APP")
_HEAD: Final = "4xiIII"  # struct tcmsg: family, then ifindex, handle, parent, info
_HEAD_NUMBERS: Final = 4


def read(route: RouteSocket) -> list[Sample]:
    """Return what the qdiscs of all devices have counted, in the kernel's order.

    Raises:
        KernelRefusal: the kernel would not list.
        DecodeError: malformed data.
    """
    with collection_paused():
        return route.dump(Message(RTM_GETQDISC, 0, tc_body(0, 0, 0, 0, b"")), sample)


def sample(_: int, __: int, data: bytes, start: int, stop: int) -> Sample:
    """Return what one message says; takes what a `Reply` holds.

    Raises:
        DecodeError: malformed data.
    """
    found = _shapes.get(stop - start)
    if found is not None:
        numbers = found.unpack(data, start)
        if found.heads(numbers) == found.expected:
            return found.build(numbers)
    return _remembered(data, start, stop)


def _remembered(data: bytes, start: int, stop: int) -> Sample:
    """Walk a message, unless one of another kind with the same length came in between."""
    key = stop - start, data[start + TCMSG_SIZE : start + _KIND_ENDS]
    found = _all_shapes.get(key)
    if found is None or found.heads(found.unpack(data, start)) != found.expected:
        found = _Shape(data, start, stop)
        if len(_all_shapes) >= MOST_SHAPES:
            _all_shapes.clear()
            _shapes.clear()
    _all_shapes[key] = _shapes[stop - start] = found
    return found.build(found.unpack(data, start))


class _Shape:
    """Where everything stands in messages of one form, relative to their start."""

    __slots__ = ("_app", "_generic", "_kind", "_more", "_places", "_tins", "expected", "heads",
                 "unpack")  # fmt: skip

    def __init__(self, data: bytes, start: int, stop: int) -> None:
        if stop - start < TCMSG_SIZE:
            raise DecodeError("tcmsg", f"expected {TCMSG_SIZE} bytes, got {stop - start}")
        survey = _Survey(data, start, stop)
        self._kind = survey.kind
        self._places = survey.places
        self.unpack = struct.Struct("=" + "".join(survey.codes)).unpack_from
        self.heads: Callable[[Numbers], object] = (
            itemgetter(*survey.heads) if survey.heads else _nothing
        )
        self.expected = self.heads(self.unpack(data, start))
        self._more = False  # whether some number that is wanted is not there
        self._generic = self._getter(self._generic_paths())
        self._app: Callable[[Numbers], Any] | None = None
        self._tins: list[Callable[[Numbers], Any]] = []
        if self._kind == "cake" and any(path[:2] == _APP for path in self._places):
            self._app = self._getter([(*_APP, name) for name in _CAKE])
            self._tins = [
                self._getter([(*_APP, "TIN_STATS", number, name) for name in _TIN])
                for number in survey.tins
            ]

    def _generic_paths(self) -> list[Path]:
        packets: Path = ("STATS2", "PKT64")
        if packets not in self._places:
            packets = ("STATS2", "BASIC", "packets")
        rate: Path = ("OPTIONS", "BASE_RATE64" if "cake" in self._kind else "RATE64")
        if rate not in self._places:
            rate = ("OPTIONS", "PARMS", "rate_rate")
        return [
            ("STATS2", "BASIC", "bytes"),
            packets,
            *(("STATS2", "QUEUE", name) for name in _QUEUE),
            rate,
            ("OPTIONS", "DIFFSERV_MODE"),
        ]

    def _getter(self, paths: Sequence[Path]) -> Callable[[Numbers], Any]:
        """Return what takes numbers from where they are; the last one, 0, stands for others."""
        places = [self._places.get(path, -1) for path in paths]
        self._more = self._more or -1 in places
        return itemgetter(*places)

    def build(self, numbers: Numbers) -> Sample:
        """Return what unpacked numbers mean."""
        if self._more:
            numbers = (*numbers, 0)
        own: Cake | FqCodel | None = None
        if self._app is not None:
            tins = tuple([Tin._make(tin(numbers)) for tin in self._tins])
            own = Cake._make((*self._app(numbers), tins))
        elif self._kind == "fq_codel" and _APP in self._places:
            own = _fq_codel(numbers[self._places[_APP]])
        return Sample._make((self._kind, *numbers[:3], *self._generic(numbers), own))


def _nothing(_: Numbers) -> None:
    """Stand for the headers of a message that has none."""


_shapes: dict[int, _Shape] = {}  # the last one seen for each length
_all_shapes: dict[tuple[int, bytes], _Shape] = {}  # by length and first bytes, which hold the kind


def _fq_codel(data: bytes) -> FqCodel:
    told = cast("dict[str, int]", decode_stats("fq_codel", data))
    return FqCodel(
        told["ecn_mark"],
        told["new_flows_len"],
        told["old_flows_len"],
        told["memory_usage"],
        told["drop_overlimit"],
    )


class _Survey:
    """One walk through a message: a struct format, and what each of its numbers is."""

    def __init__(self, data: bytes, start: int, stop: int) -> None:
        self._data = data
        self._done = start + TCMSG_SIZE
        self._count = _HEAD_NUMBERS
        self.codes = [_HEAD]
        self.heads: list[int] = []
        self.places: dict[Path, int] = {}
        self.tins: list[int] = []
        self.kind = next(
            (
                NAME.decode("KIND", data, first, last)
                for number, first, last in walk(data, self._done, stop, "tca")
                if number == KIND
            ),
            "",
        )
        for number, first, last in walk(data, self._done, stop, "tca"):
            self._head(first)
            if number == KIND:
                self.heads.append(self._take(first, f"{last - first}s", 1))
            elif number == OPTIONS and self.kind in SCHEMAS:
                self._nest(("OPTIONS",), SCHEMAS[self.kind], first, last)
            elif number == STATS2_NUMBER:
                self._nest(("STATS2",), STATS2, first, last)

    def _take(self, first: int, code: str, count: int) -> int:
        """Add `count` numbers that stand at `first`, and return the place of the first one."""
        self.codes.append(f"{first - self._done}x{code}")
        self._done = first + struct.calcsize("=" + code)
        place = self._count
        self._count += count
        return place

    def _head(self, first: int) -> None:
        """Remember the header of the attribute whose payload begins at `first`."""
        self.heads.append(self._take(first - HEADER_SIZE, "I", 1))

    def _nest(self, path: Path, schema: Schema, first: int, last: int) -> None:
        for number, inner, end in walk(self._data, first, last, schema.name):
            self._head(inner)
            if path == ("STATS2",) and number == STATS_APP:
                self._own(inner, end)
                continue
            entry = schema.by_number.get(number)
            if entry is not None:
                self._leaf((*path, entry.name), entry.wire, inner, end)

    def _own(self, first: int, last: int) -> None:
        """Add the kind's own statistics: attributes, or a structure as it is."""
        if self.kind in _STATS:
            self._nest(_APP, _STATS[self.kind], first, last)
        else:
            self.places[_APP] = self._take(first, f"{last - first}s", 1)

    def _leaf(self, path: Path, wire: Wire, first: int, last: int) -> None:
        if isinstance(wire, Array):
            for number, inner, end in self._elements(wire, path, first, last):
                self.tins.append(number)
                self._nest((*path, number), cast(Nested, wire.element).schema, inner, end)
        elif isinstance(wire, Scalar) and wire.order == "=":
            wire.decode(str(path[-1]), self._data, first, last)  # it checks the size
            self.places[path] = self._take(first, wire.code, 1)
        elif isinstance(wire, Struct) and not wire.mixed_order:
            wire.decode(str(path[-1]), self._data, first, last)
            place = self._take(first, wire.code, len(wire.names))
            for index, name in enumerate(wire.names):
                self.places[(*path, name)] = place + index

    def _elements(
        self, wire: Array, path: Path, first: int, last: int
    ) -> Iterator[tuple[int, int, int]]:
        for number, inner, end in walk(self._data, first, last, str(path[-1])):
            if isinstance(wire.element, Nested):
                self._head(inner)
                yield number, inner, end
