"""The rows of the host's tables, for the interpreter; in C the structs of `rows.pxd`."""

from __future__ import annotations


class TxQueue:
    """One transmit queue: what waits for its NIC, for its processor, and what that costs."""

    __slots__ = (
        "busy", "debt", "done_bytes", "done_used", "first", "head", "inside", "last", "last_scan",
        "left", "most_waiting", "objects", "parked", "processor", "refused", "scan_cost", "scans",
        "stops", "sync_work", "tail", "used", "visits", "waiting", "watchdog", "work",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start as a row of zeroes."""
        self.watchdog: int = 0  # timer of the qdisc
        self.processor: int = 0  # timer of the processor
        self.inside: bool = False  # the qdisc is being run
        self.parked: int = 0  # taken from the qdisc for a ring that is full, or NIL
        self.busy: int = 0  # the packet that the processor works on, or NIL
        self.head: int = 0  # of the ring
        self.tail: int = 0
        self.first: int = 0  # of the processor's backlog, or of what was sent and not yet freed
        self.last: int = 0
        self.waiting: int = 0  # packets in the processor's backlog
        self.used: int = 0  # descriptors
        self.done_used: int = 0  # descriptors sent since the last interrupt
        self.left: int = 0  # bytes of the ring's first packet that are not on the wire yet
        self.done_bytes: int = 0  # bytes sent since the last interrupt
        self.debt: int = 0  # ns of work that the next packet waits for
        self.last_scan: int = 0  # ns
        self.scan_cost: int = 0  # ns that a scan takes, where scans are a duty
        self.visits: int = 0  # flow queues that the child's scans have visited
        self.scans: int = 0
        self.work: int = 0  # ns spent on packets
        self.sync_work: int = 0  # ns spent on scans
        self.refused: int = 0  # packets that the backlog had no room for
        self.most_waiting: int = 0
        self.objects: int = 0  # packets handed to the NIC
        self.stops: int = 0  # times the byte queue limit or the ring held the qdisc back


TxQueueRow = TxQueue  # in C a pointer to one
