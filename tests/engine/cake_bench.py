"""A CAKE with packets to throw at it, as the CAKE specification's section 9 assumes.

Ethernet MTU 1500, raw sizes, egress, time 0 = 1 s, 16-bit draws 0x8000, 32-bit ones 0x80000000,
truesize 2304.
"""

from __future__ import annotations

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.mq import CakeMq
from tcc.engine.cake.qdisc import Cake
from tcc.engine.constants import IPV4, NEVER, NIL, REASON_NAMES
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random

T0 = 1_000_000_000
MS = 1_000_000
DIFFSERV3, DIFFSERV4, DIFFSERV8, BESTEFFORT, PRECEDENCE = range(5)


class Bench:
    """One CAKE, or the children of one cake_mq, and the packets that go through."""

    def __init__(self, queues=1, u16=0x8000, u32=0x80000000, handle=None, mtu=1514, **config):
        self.pool = PacketPool()
        config.setdefault("tins", BESTEFFORT)
        chance = Random.fixed(u16, u32)
        self.config = CakeConfig(**config)
        if queues == 1:
            handle = 0x10000 if handle is None else handle
            self.children = [Cake(self.pool, chance, self.config, handle, mtu)]
        else:
            self.mq = CakeMq(self.pool, chance, self.config, queues, mtu, handle or 0)
            self.children = self.mq.children
        self.cake = self.children[0]
        self.drops = []

    def packet(self, id, length, **fields):
        raw = fields.pop("raw", None)
        row = {
            "id": id, "length": length, "truesize": 2304, "flow_hash": 1, "source_hash": 1,
            "destination_hash": 2, "network_offset": 14, "protocol": IPV4,
        }  # fmt: skip
        packet = self.pool.new(row | fields)
        if raw:
            self.pool.set_raw(packet, raw)
        return packet

    def settle(self):
        found = []
        for packet, reason in self.pool.drain():
            found.append((self.pool.read(packet)["id"], REASON_NAMES[reason]))
            self.pool.free(packet)
        self.drops += found
        return found

    def put(self, id, length, at=0, q=0, **fields):
        """Enqueue a packet at T0 + `at`; return (verdict, what was dropped)."""
        verdict = self.children[q].enqueue(self.packet(id, length, **fields), T0 + at)
        return verdict, self.settle()

    def get(self, at=0, q=0):
        """Dequeue at T0 + `at`; return the packet's fields, None if there is none."""
        packet = self.children[q].dequeue(T0 + at)
        self.settle()
        if packet == NIL:
            return None
        row = self.pool.read(packet)
        self.pool.free(packet)
        return row

    def drive(self, at=0, q=0, limit=10_000, until=10**15):
        """Dequeue as the timer says, from T0 + `at`; return [(time - T0, id)] of deliveries."""
        found = []
        cake = self.children[q]
        cake.take_wakeup()
        while len(found) < limit and at <= until:
            row = self.get(at, q)
            wakeup = cake.take_wakeup()
            if row is not None:
                found.append((at, row["id"]))
            elif wakeup == NEVER:
                break
            if wakeup != NEVER:
                at = max(at, wakeup - T0)
            elif cake.qlen == 0:
                break
        return found

    def tin(self, index=0):
        return self.cake.tin(index)

    def tins(self, name):
        """Return a field of every tin, in display order."""
        cake = self.cake
        return [cake.tin(cake.tin_of_position(p))[name] for p in range(cake.tin_count)]

    def tin_of(self, **fields):
        """Return the display position of the tin that a packet goes to."""
        self.put(0, 100, **fields)
        position = next(p for p, packets in enumerate(self.tins("backlog")) if packets)
        assert self.get(10**12) is not None
        return position
