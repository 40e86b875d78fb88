"""A qdisc with packets to throw at it, one at a time."""

from __future__ import annotations

from tcc.engine.constants import IPV4, NEVER, NIL, REASON_NAMES
from tcc.engine.packet import PacketPool

MS = 1_000_000
US = 1_000


class Bench:
    """A qdisc and the packets that go through; `make` builds it, given the pool."""

    def __init__(self, make):
        self.pool = PacketPool(16)
        self.qdisc = make(self.pool)
        self.drops = []

    def packet(self, id, length, **fields):
        row = {
            "id": id, "length": length, "truesize": length + 256, "flow_hash": 1, "tos": 0,
            "network_offset": 14, "protocol": IPV4,
        }  # fmt: skip
        return self.pool.new(row | fields)

    def settle(self):
        """Return (id, reason) of what the last call dropped."""
        found = []
        for packet, reason in self.pool.drain():
            found.append((self.pool.read(packet)["id"], REASON_NAMES[reason]))
            self.pool.free(packet)
        self.drops += found
        return found

    def put(self, id, length=1000, at=0, **fields):
        """Enqueue; return (verdict, what was dropped)."""
        verdict = self.qdisc.enqueue(self.packet(id, length, **fields), at)
        return verdict, self.settle()

    def get(self, at=0):
        """Dequeue; return the packet's fields, None if there is none."""
        packet = self.qdisc.dequeue(at)
        self.settle()
        if packet == NIL:
            return None
        row = self.pool.read(packet)
        self.pool.free(packet)
        return row

    def ids(self, at=0, limit=10_000):
        """Dequeue until nothing comes; return the packets' ids."""
        found = []
        while len(found) < limit and (row := self.get(at)) is not None:
            found.append(row["id"])
        return found

    def drive(self, at=0):
        """Dequeue as the timer says; return [(time, id)]."""
        found = []
        self.qdisc.take_wakeup()
        while True:
            row = self.get(at)
            wakeup = self.qdisc.take_wakeup()
            if row is not None:
                found.append((at, row["id"]))
            elif wakeup == NEVER:
                return found
            else:
                at = wakeup


def flow(number):
    """Return the hash of a flow; no two below 1024 share their low or their high ten bits."""
    return number * 0x9E3779B1 & 0xFFFFFC00 | number
