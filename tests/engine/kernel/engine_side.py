"""The same trains through the engine: its qdiscs, and the devices that the guest has."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.mq import CakeMq
from tcc.engine.cake.qdisc import Cake
from tcc.engine.cake.statistics import statistics
from tcc.engine.constants import ARP, DROP, GSO_SPLIT, IPV4, IPV6, NEVER, NIL, OTHER
from tcc.engine.fifo import Fifo
from tcc.engine.fq import Fq
from tcc.engine.fq_codel import FqCodel
from tcc.engine.mq import Mq
from tcc.engine.packet import PacketPool
from tcc.engine.pfifo_fast import PfifoFast
from tcc.engine.queue_disc import QueueDisc
from tcc.engine.random import Random
from tcc.engine.sfq import Sfq
from tcc.engine.tbf import Pace, TokenBucket
from tcc.engine.tcp.constants import LOCAL
from tests.engine.kernel.frames import (
    ETHERNET,
    Change,
    Look,
    Packet,
    Read,
    Seen,
    Train,
    frame,
    header_length,
    segments,
)  # fmt: skip

GOLDEN = 0x9E3779B1
PROTOCOLS = {"arp": ARP, "ipv6": IPV6, "other": OTHER}
NO_BUFFERS = "No buffer space available"
Model = tuple[str, dict[str, Any]]


def build(model: Model, pool: PacketPool, chance: Random) -> Any:
    """Make the engine's qdisc of a model: a kind and its arguments."""
    kind, given = model
    given = dict(given)
    if kind == "cake":
        handle = given.pop("handle", 0x10000)
        return Cake(pool, chance, CakeConfig(**given), handle)
    if kind == "cake_mq":
        return CakeMq(pool, chance, CakeConfig(**given), given.pop("queues", 4))
    if kind == "mq":
        return Mq(pool, [build(child, pool, chance) for child in given["children"]])
    if kind == "tbf":
        inner = build(given.pop("inner"), pool, chance)
        pace = Pace(*given.pop("rate"))
        peak = given.pop("peak", None)
        return TokenBucket(pool, inner, pace, peak=Pace(*peak) if peak else None, **given)
    if kind == "sfq":
        return Sfq(pool, chance, **given)
    plain = {"fifo": Fifo, "pfifo_fast": PfifoFast, "fq_codel": FqCodel, "fq": Fq}
    return plain[kind](pool, **given)


class Ring:
    """A tap's ring of frames, and when its reader wakes the qdisc.

    Places become free in batches (struct ptr_ring); a stopped queue is woken when half a ring was
    read or nothing is left in it (__tun_wake_queue() of drivers/net/tun.c).
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.batch = 16 if size >= 32 else 1
        self.held: deque[int] = deque()
        self.place = 0
        self.stale = 0
        self.read_since = 0
        self.stopped = False

    def add(self, made: int) -> None:
        """Take a frame; a ring that is full then stops the queue."""
        self.held.append(made)
        self.stopped = len(self.held) + self.stale >= self.size

    def take(self) -> int:
        """Give the oldest frame, or NIL, and wake the queue if it is time."""
        if not self.held:
            return NIL
        made = self.held.popleft()
        self.place += 1
        self.stale += 1
        if self.stale >= self.batch or self.place >= self.size:
            self.stale = 0
        if self.place >= self.size:
            self.place = 0
        if self.stopped:
            self.read_since += 1
            if self.read_since >= self.size // 2 or not self.held:
                self.stopped = False
                self.read_since = 0
        return made


class Device:
    """A device with its qdiscs, one for each transmit queue, in the engine.

    A veth (`ring` 0) takes whatever a qdisc gives.  A tap holds `ring` frames, and the qdisc is
    asked again when one was read.  As in the kernel, an idle qdisc of some kinds is passed by, and
    a frame that passed it and found no room waits beside it and still counts as queued.
    """

    def __init__(self, train: Train, chance: Random, start: int) -> None:
        self.train = train
        self.start = start  # ns of the guest's clock
        self.pool = PacketPool()
        self.root = build(train.model, self.pool, chance)
        self.qdiscs: list[QueueDisc] = getattr(self.root, "children", [self.root])
        self.timers = [NEVER] * len(self.qdiscs)
        self.ring = Ring(train.ring)
        self.beside = NIL
        self.requeues = 0
        self.passed = [0, 0]  # packets and bytes that passed the qdisc by
        self.packets: list[Packet] = []
        self.hashes: dict[tuple[object, ...], int] = {}
        self.seen: list[Seen] = []
        self.refused: list[str] = []
        self.looked: list[dict[str, dict[str, Any]]] = []
        self.dropped: list[tuple[int, int, int]] = []

    def make(self, packet: Packet, at: int, truesize: int) -> int:
        """Return the engine's packet for one of the train."""
        number = len(self.packets)
        self.packets.append(packet)
        count = segments(packet)
        header = header_length(packet) if packet.gso else 0
        fields = {
            "id": number, "flow": number, "length": packet.length + (count - 1) * header,
            "truesize": truesize, "tos": packet.tos, "mark": packet.mark,
            "priority": packet.priority, "network_offset": ETHERNET,
            "transport_offset": ETHERNET + 20, "gso_size": packet.gso, "gso_segs": count,
            "header_length": header, "protocol": PROTOCOLS.get(packet.kind, IPV4),
            "source_hash": self.host(packet, packet.source),
            "destination_hash": self.host(packet, packet.destination),
            "flags": 0 if self.train.model[0] == "fq" or self.train.forwarded else LOCAL,
            "flow_hash": self.flow_of(packet),
        }  # fmt: skip
        if packet.departure is not None:
            fields["departure_time"] = self.start + packet.at + packet.departure
        made = self.pool.new(fields)
        if packet.kind in ("ack", "tcp"):
            self.pool.set_raw(made, frame(packet, number))
        return made

    def host(self, packet: Packet, address: int) -> int:
        """Return the hash of a host: of its address, in its protocol, in its VLAN; 0 without."""
        if packet.kind in ("arp", "other"):
            return 0
        return self.hash_of(
            ("host", packet.kind if packet.kind in ("ipv6", "vlan") else "", address)
        )

    def flow_of(self, packet: Packet) -> int:
        """Return the hash of a flow."""
        if packet.kind in ("arp", "other"):
            return self.hash_of(("flow", packet.kind))
        kind = "tcp" if packet.kind == "ack" else packet.kind
        return self.hash_of(("flow", kind, packet.flow, packet.source, packet.destination))

    def hash_of(self, key: tuple[object, ...]) -> int:
        """Return the same 32 bits for the same key, others for others.

        No two share the low ten bits, so that none meet in a slot of CAKE, as none of the kernel's
        did: its own counters of collisions say so, and are compared.
        """
        number = self.hashes.setdefault(key, 1 + len(self.hashes))
        return (number * GOLDEN & 0xFFFFFC00) | number & 0x3FF

    def arrive(self, packet: Packet, at: int, truesize: int) -> str:
        """Let a packet come; return the error that its socket sees."""
        queue = (packet.flow - 1) % len(self.qdiscs) if len(self.qdiscs) > 1 else 0
        qdisc = self.qdiscs[queue]
        made = self.make(packet, at, truesize)
        if packet.rate:
            qdisc.pace(made, packet.rate)
        if self.train.bypass and qdisc.qlen == 0 and self.beside == NIL:
            self.pass_by(made, at)
            return ""
        verdict = qdisc.enqueue(made, at)
        self.settle(queue)
        self.run(queue, at)
        return NO_BUFFERS if verdict == DROP and not self.train.forwarded else ""

    def pass_by(self, made: int, at: int) -> None:
        """Hand a packet to the device without the qdisc."""
        self.passed[0] += 1
        self.passed[1] += self.pool.read(made)["length"]
        if self.has_room():
            self.give(made, at)
        else:
            self.beside = made
            self.requeues += 1

    def has_room(self) -> bool:
        """Say whether the device takes a packet."""
        return self.train.device == "veth" or not self.ring.stopped

    def run(self, queue: int, at: int) -> None:
        """Give the device what it has room for (__qdisc_run())."""
        while self.has_room():
            made = self.beside
            self.beside = NIL
            if made == NIL:
                made = self.qdiscs[queue].dequeue(at)
                self.settle(queue)
            if made == NIL:
                return
            self.give(made, at)

    def settle(self, queue: int) -> None:
        """Note what a call dropped and for when it armed the timer."""
        for made, reason in self.pool.drain():
            row = self.pool.read(made)
            if reason != GSO_SPLIT:
                self.dropped.append((row["flow"], self.segment(row), reason))
            self.pool.free(made)
        when = self.qdiscs[queue].take_wakeup()
        if when != NEVER:
            self.timers[queue] = when

    def segment(self, row: dict[str, int]) -> int:
        """Return which segment of its super-packet a packet is."""
        whole = row["id"] == row["flow"]
        return 0 if whole else row["id"] - row["flow"] * 1000

    def give(self, made: int, at: int) -> None:
        """Let the device have a packet."""
        if self.train.device == "veth":
            self.show(made, at)
        else:
            self.ring.add(made)

    def show(self, made: int, at: int) -> None:
        """Let a packet come out."""
        row = self.pool.read(made)
        extra = max(0, row["gso_segs"] - 1) * row["header_length"]
        packet = self.packets[row["flow"]]
        length = row["length"] - extra - (4 if packet.kind == "vlan" else 0)  # the tag comes off
        tos = row["tos"] if packet.kind not in ("arp", "other") else 0
        self.seen.append(Seen(at - self.start, row["flow"], self.segment(row), tos, length))
        self.pool.free(made)

    def read(self, at: int) -> None:
        """Take a frame from the tap."""
        made = self.ring.take()
        if made != NIL:
            self.show(made, at)
        self.run(0, at)

    def pass_time(self, until: int) -> None:
        """Let the timers fire that are due by then."""
        while True:
            due = [(when, queue) for queue, when in enumerate(self.timers) if when != NEVER]
            if not due or min(due)[0] > until:
                return
            when, queue = min(due)
            self.timers[queue] = NEVER
            self.run(queue, when)

    def change(self, given: dict[str, Any]) -> None:
        """Change the root's parameters."""
        given = dict(given)
        if "pace" in given:
            given["pace"] = Pace(*given["pace"])
        if isinstance(self.root, (Cake, CakeMq)):
            self.root.change(replace(self.root.config, **given))
        else:
            self.root.change(**given)

    def shown(self) -> dict[str, dict[str, Any]]:
        """Return what `tc -s` would show, by the qdisc's parent; the root is "root"."""
        root = self.root
        found = {"root": shown_of(root)}
        found["root"]["packets"] += self.passed[0]
        found["root"]["bytes"] += self.passed[1]
        found["root"]["requeues"] += self.requeues
        if self.beside != NIL:
            found["root"]["qlen"] += 1
            found["root"]["backlog"] += self.pool.read(self.beside)["length"]
        if isinstance(root, TokenBucket):
            found["1:1"] = shown_of(root.inner)
        for number, child in enumerate(getattr(root, "children", ()), 1):
            found[f"1:{number:x}"] = shown_of(child)
        return found


def shown_of(qdisc: Any) -> dict[str, Any]:
    """Return the counters of one qdisc."""
    return statistics(qdisc) if isinstance(qdisc, Cake) else dict(qdisc.statistics())


__all__ = ["Change", "Device", "Look", "Read", "build"]
