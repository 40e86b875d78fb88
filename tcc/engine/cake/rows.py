"""The rows of CAKE's tables, for the interpreter; `rows.pxd` has them for C."""

from __future__ import annotations

TINS = 8
SLOTS = 1024  # flow queues of a tin
WAYS = 8  # of the set-associative hash

# Heads of a tin's lists of flows: rows behind its slots.
NEW = 1024
OLD = 1025
DECAYED = 1026
STRIDE = 1027  # rows of a tin

# States of a flow (CAKE_SET_*).
NONE = 0
SPARSE = 1
SPARSE_WAIT = 2
BULK = 3
DECAYING = 4

HEAP = 8192  # one entry for each slot of each tin
LIVE = 65535  # deliveries for which the heap is kept up to date after a drop

KEEP = -1  # COBALT's verdict if it is not a reason to drop


class Flow:
    """One of the 1024 queues of a tin: its packets, its DRR++ state and its COBALT state.

    In C it is one cache line.  Links are slots of the same tin; the three rows after the last
    slot are the heads of the tin's lists.
    """

    __slots__ = (
        "backlog", "blue_timer", "count", "deficit", "destination", "drop_next", "dropped",
        "dropping", "head", "next", "p_drop", "place", "previous", "rec", "source", "state",
        "tag", "tail",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.head: int = 0  # first packet, plus one; 0 for none
        self.tail: int = 0
        self.deficit: int = 0  # bytes it may still send
        self.backlog: int = 0  # bytes, of u32
        self.tag: int = 0  # flow hash it was last used for
        self.next: int = 0
        self.previous: int = 0
        self.source: int = 0  # entry of its source host
        self.destination: int = 0
        self.place: int = 0  # in the overflow heap
        self.state: int = 0
        self.dropping: int = 0
        self.count: int = 0  # COBALT: signals so far, u32
        self.rec: int = 0  # 1 / sqrt(count), Q0.32
        self.p_drop: int = 0  # BLUE: probability of dropping, times 2**32
        self.dropped: int = 0
        self.drop_next: int = 0  # ns
        self.blue_timer: int = 0  # ns


FlowRow = Flow  # in C a pointer to one
Flows = list[Flow]  # STRIDE of them: a tin's


def flow_at(flows: Flows, slot: int) -> FlowRow:
    """Return a flow's row, of those of its tin."""
    return flows[slot]


class Host:
    """One entry of a tin's host table: how many bulk flows a source or destination has."""

    __slots__ = ("destination_bulk", "destination_tag", "source_bulk", "source_tag")

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.source_tag: int = 0
        self.destination_tag: int = 0
        self.source_bulk: int = 0
        self.destination_bulk: int = 0


Hosts = list[Host]  # SLOTS of them: a tin's


class Tin:
    """One tin: its shaper, its COBALT parameters, its counters."""

    __slots__ = (
        "ack_drops", "average_delay", "backlog", "base_delay", "bulk", "bytes", "decaying",
        "deficit", "dropped", "ecn_mark", "flow_quantum", "interval", "marked", "max_length",
        "mtu_time", "ns", "packets", "peak_delay", "quantum", "rate", "shift", "sparse",
        "target", "tnext", "unresponsive", "way_collisions", "way_hits", "way_misses",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.rate: int = 0  # bytes/s
        self.ns: int = 0  # length * ns >> shift is how long it takes
        self.shift: int = 0
        self.flow_quantum: int = 0
        self.quantum: int = 0  # weight of the tin when there is no rate
        self.deficit: int = 0  # s32
        self.tnext: int = 0  # ns: when it is on schedule again
        self.target: int = 0  # ns
        self.interval: int = 0  # ns
        self.mtu_time: int = 0  # ns
        self.backlog: int = 0
        self.sparse: int = 0
        self.bulk: int = 0
        self.decaying: int = 0
        self.unresponsive: int = 0
        self.marked: int = 0  # COBALT has marked the packet that it judged last
        self.packets: int = 0
        self.bytes: int = 0
        self.dropped: int = 0
        self.ecn_mark: int = 0
        self.ack_drops: int = 0
        self.max_length: int = 0
        self.way_hits: int = 0
        self.way_misses: int = 0
        self.way_collisions: int = 0
        self.average_delay: int = 0  # ns
        self.peak_delay: int = 0  # ns
        self.base_delay: int = 0  # ns


TinRow = Tin  # in C a pointer to one


class Segment:
    """What the ACK filter reads of one packet; places count from the first kept byte."""

    __slots__ = (
        "acknowledgement", "address", "address_length", "flags", "length", "ports", "tcp",
        "tcp_length", "version",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.version: int = 0
        self.address: int = 0  # where the two addresses are
        self.address_length: int = 0  # of both
        self.tcp: int = 0  # where the TCP header is
        self.tcp_length: int = 0
        self.length: int = 0  # TCP header and payload, as the IP header has it
        self.flags: int = 0  # twelve bits: the four reserved ones, then CWR to FIN
        self.acknowledgement: int = 0
        self.ports: int = 0
