"""The rows of the fair queues' tables, for the interpreter; `fair_rows.pxd` has them for C."""

from __future__ import annotations


class Slot:
    """A queue of `sfq`; `newer` and `older` link the slots that hold equally many packets."""

    __slots__ = ("allot", "backlog", "bucket", "head", "newer", "next", "older", "qlen", "tail")

    def __init__(self) -> None:
        """Start empty."""
        self.head: int = 0
        self.tail: int = 0
        self.qlen: int = 0  # packets
        self.allot: int = 0  # bytes it may still send in this round
        self.next: int = 0  # slot that follows in the round
        self.bucket: int = 0  # of the hash table, that points here
        self.newer: int = 0
        self.older: int = 0
        self.backlog: int = 0  # bytes


class CodelFlow:
    """A queue of `fq_codel` with its CoDel state; times in units of 1024 ns."""

    __slots__ = (
        "backlog", "count", "deficit", "drop_next", "dropping", "first_above", "head",
        "lastcount", "listed", "next", "rec", "tail",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start empty."""
        self.head: int = 0
        self.tail: int = 0
        self.next: int = 0
        self.deficit: int = 0  # bytes
        self.listed: int = 0  # whether it is in the list of new or old flows
        self.dropping: int = 0
        self.rec: int = 0  # 1/sqrt(count), 16 bits
        self.count: int = 0
        self.lastcount: int = 0
        self.backlog: int = 0  # bytes
        self.first_above: int = 0
        self.drop_next: int = 0


class FqFlow:
    """A flow of `fq`: a socket, or a hash."""

    __slots__ = (
        "age", "band", "chain", "credit", "due", "head", "key", "next", "order", "qlen", "rate",
        "state", "tail",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start empty."""
        self.head: int = 0
        self.tail: int = 0
        self.next: int = 0  # flow that follows in a list of new or old flows, or a free row
        self.chain: int = 0  # flow that follows in the same bucket
        self.qlen: int = 0  # packets
        self.credit: int = 0  # bytes
        self.state: int = 0  # detached, in a list, or throttled
        self.band: int = 0
        self.key: int = 0
        self.rate: int = 0  # bytes/s that its socket asks for
        self.due: int = 0  # ns: not before
        self.order: int = 0  # breaks ties of due among throttled flows
        self.age: int = 0  # jiffy in which it was detached
