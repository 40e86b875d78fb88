"""The rows of the engine's tables, for the interpreter.

Compiled, each is the C struct of the same name in `rows.pxd` and lies in a flat array; links
between rows are indices.  `tests/engine/test_base.py` compares the two files.
"""

from __future__ import annotations


class Packet:
    """One packet: what a qdisc sees of it, then what its owner keeps with it."""

    __slots__ = (
        "acknowledgement", "adjusted", "classid", "departure_time", "destination_hash", "due",
        "echo_time",
        "enqueue_time", "flags", "flow", "flow_hash", "gso_segs", "gso_size", "header_length",
        "id", "kind", "length", "mark", "network_offset", "next", "order", "owner", "payload",
        "priority", "protocol", "raw", "reason", "sent_time", "sequence", "source_hash", "tos",
        "transport_offset", "truesize", "tx_queue",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.next: int = 0  # link: queue, delay line, free list or list of dropped packets
        self.length: int = 0  # bytes as a qdisc counts them: every segment with its own headers
        self.adjusted: int = 0  # bytes on the wire as CAKE counts them
        self.truesize: int = 0  # bytes of memory it takes
        self.enqueue_time: int = 0  # ns
        self.flow_hash: int = 0  # 32 bits, of addresses and ports
        self.source_hash: int = 0
        self.destination_hash: int = 0
        self.priority: int = 0  # skb->priority
        self.mark: int = 0  # skb->mark
        self.gso_size: int = 0  # payload of each segment; 0 for a plain packet
        self.raw: int = 0  # row of its header bytes, or NIL
        self.gso_segs: int = 0  # segments in it; 0 and 1 both mean one
        self.header_length: int = 0  # bytes before the payload, from the MAC header on
        self.network_offset: int = 0  # bytes before the network header
        self.transport_offset: int = 0
        self.tx_queue: int = 0
        self.tos: int = 0  # DSCP and ECN
        self.protocol: int = 0  # IPV4, IPV6, ARP or OTHER
        self.reason: int = 0  # why it was dropped
        self.kind: int = 0  # the owner's word for what it is
        self.due: int = 0  # ns: when a delay line delivers it
        self.order: int = 0  # breaks ties of due
        self.departure_time: int = 0  # ns, earliest departure (skb->tstamp); 0 for none
        self.id: int = 0
        self.owner: int = 0  # socket
        self.flow: int = 0  # row of the flow it is counted under
        self.sequence: int = 0
        self.acknowledgement: int = 0
        self.sent_time: int = 0  # ns
        self.echo_time: int = 0  # ns
        self.payload: int = 0  # bytes for the application
        self.flags: int = 0
        self.classid: int = 0  # what a filter on the qdisc chose: major << 16 | minor; 0 for none


PacketRow = Packet  # in C a pointer to one


def packet_at(rows: list[Packet], packet: int) -> PacketRow:
    """Return a packet's row; until the pool grows."""
    return rows[packet]


class Entry:
    """One armed event in the heap: when, which of several at that time, and its node."""

    __slots__ = ("node", "order", "time")

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.time: int = 0  # ns
        self.order: int = 0
        self.node: int = 0


class Node:
    """A place events are armed at: where it stands in the heap and whom it calls."""

    __slots__ = ("argument", "following", "handler", "line", "once", "order", "position", "what")

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.position: int = 0  # in the heap, or NIL
        self.handler: int = 0
        self.what: int = 0
        self.argument: int = 0  # also the link of the free list
        self.line: int = 0  # the delay line it serves, or NIL
        self.once: int = 0  # give the node back when it has fired
        self.following: int = 0  # what happens at once after this
        self.order: int = 0  # of what happens at once


class Line:
    """A delay line: packets on their way, in order."""

    __slots__ = ("head", "node", "packets", "tail")

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.head: int = 0
        self.tail: int = 0
        self.node: int = 0
        self.packets: int = 0
