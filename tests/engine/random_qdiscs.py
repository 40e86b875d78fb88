"""Random traffic through random qdiscs, and what must hold of any of them.

    python -m tests.engine.random_qdiscs FIRST LAST

prints one line per seed: the seed, the kind, how many packets were offered, delivered and dropped,
whether the engine is compiled, and a digest of every outcome.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections import Counter

from tcc.engine import compiled
from tcc.engine.constants import ARP, DROP, IPV4, IPV6, NEVER, NIL, OTHER
from tcc.engine.fifo import Fifo
from tcc.engine.fq import Fq
from tcc.engine.fq_codel import FqCodel
from tcc.engine.packet import PacketPool
from tcc.engine.pfifo_fast import PfifoFast
from tcc.engine.random import Random
from tcc.engine.sfq import Sfq
from tcc.engine.tbf import Pace, TokenBucket
from tcc.engine.tcp.constants import LOCAL

COMMON = ("received", "enqueued", "dequeued", "dropped_before", "dropped_after")
KINDS = ("fifo", "pfifo_fast", "sfq", "fq_codel", "fq", "tbf")


def fifo(dice, pool):
    in_bytes = dice.random() < 0.5
    limit = dice.choice([0, 3000, 40_000]) if in_bytes else dice.choice([0, 1, 5, 60])
    return Fifo(pool, limit, in_bytes, not in_bytes and dice.random() < 0.5)


def pfifo_fast(dice, pool):
    return PfifoFast(pool, dice.choice([1, 5, 40, 1000]))


def sfq(dice, pool):
    return Sfq(
        pool, Random(dice.randrange(2**32)), limit=dice.choice([2, 9, 127, 500]),
        depth=dice.choice([2, 9, 127]), flows=dice.choice([2, 5, 128]),
        divisor=dice.choice([8, 64, 1024]), quantum=dice.choice([256, 1514, 9000]),
        head_drop=dice.random() < 0.5, perturb=dice.choice([0, 0, 10**9]), handle=0x10000,
    )  # fmt: skip


def fq_codel(dice, pool):
    return FqCodel(
        pool, limit=dice.choice([1, 20, 10_240]), flows=dice.choice([1, 8, 1024]),
        target=dice.choice([1, 500, 5_000]), interval=dice.choice([1, 10_000, 100_000]),
        quantum=dice.choice([256, 1514, 9000]), memory_limit=dice.choice([10_000, 1 << 25]),
        ecn=dice.random() < 0.5, drop_batch=dice.choice([1, 64]),
        ce_threshold=dice.choice([None, None, 0, 1_000]), handle=0x10000,
    )  # fmt: skip


def fq(dice, pool):
    return Fq(
        pool, limit=dice.choice([3, 50, 10_000]), flow_limit=dice.choice([1, 10, 100]),
        quantum=dice.choice([256, 3028]), initial_quantum=dice.choice([0, 1514, 15_140]),
        flow_max_rate=dice.choice([None, None, 0, 10_000, 10**6]), buckets=dice.choice([2, 1024]),
        orphan_mask=dice.choice([3, 1023]), horizon=dice.choice([10**6, 10**10]),
        horizon_drop=dice.random() < 0.5, ce_threshold=dice.choice([None, 10**6]),
        timer_slack=dice.choice([0, 10_000]),
        weights=dice.choice([(589_824, 196_608, 65_536), (16_384,) * 3]),
    )  # fmt: skip


def tbf(dice, pool):
    inner = dice.choice([fifo, sfq, fq_codel, fq, pfifo_fast])(dice, pool)
    rate = dice.choice([1, 1000, 10**6, 10**9])
    framing = dice.choice([(0, 0, False), (38, 84, False), (10, 0, True)])
    peak = {}
    if dice.random() < 0.4:
        peak = {"peak": Pace(rate * 3, *framing), "peak_burst": dice.choice([1514, 4000])}
    return TokenBucket(pool, inner, Pace(rate, *framing), dice.choice([600, 3000, 70_000]), **peak)


MAKERS = dict(zip(KINDS, (fifo, pfifo_fast, sfq, fq_codel, fq, tbf), strict=True))


class Drive:
    """One qdisc under random traffic; `check` holds after every call."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.kind = KINDS[seed % len(KINDS)]
        self.pool = PacketPool(2)
        self.qdisc = MAKERS[self.kind](self.dice, self.pool)
        self.now = self.dice.choice([0, 10**9, 1 << 41])
        self.armed = NEVER
        self.last_of_flow = {}
        self.outcomes = []
        self.counts = Counter()
        holds = self.qdisc.inner if self.kind == "tbf" else self.qdisc
        self.keeps_order = (
            not isinstance(holds, Fq | PfifoFast) and getattr(holds, "perturb", 0) == 0
        )

    def offer(self, id):
        """Enqueue a random packet."""
        dice = self.dice
        flow = dice.randrange(12)
        segments = dice.choice([1] * 9 + [2, 5, 40])
        header = 54 if segments > 1 else 0
        payload = 1000 * segments - 7
        length = payload + header * segments if segments > 1 else dice.choice([60, 90, 600, 1514])
        departure = 0
        if dice.random() < 0.2:
            departure = self.now + dice.choice([-(10**6), 10**5, 10**7, 10**8])
        packet = self.pool.new({
            "id": id, "length": length, "truesize": length + 700, "flow": flow, "payload": payload,
            "flow_hash": flow * 0x9E3779B1 & 0xFFFFFFFF, "tos": dice.randrange(4),
            "priority": dice.choice([0, 0, 2, 6, 0x10003, 0x20001]),
            "protocol": dice.choice([IPV4, IPV6, ARP, OTHER]), "gso_segs": segments,
            "gso_size": 1000 if segments > 1 else 0, "header_length": header,
            "departure_time": max(departure, 0), "owner": flow, "flags": dice.choice([0, LOCAL]),
            "classid": dice.choice([0] * 9 + [0x10005, 0x1FFFF]),
        })  # fmt: skip
        verdict = self.qdisc.enqueue(packet, self.now)
        self.counts["offered"] += 1
        dropped = self.settle()
        assert (verdict == DROP) <= any(one // 1000 == id or one == id for one, _ in dropped)
        self.outcomes.append(("offer", verdict, dropped))

    def settle(self):
        """Take what was dropped and the timer; check every identity."""
        dropped = []
        for packet, reason in self.pool.drain():
            dropped.append((self.pool.read(packet)["id"], reason))
            self.pool.free(packet)
        self.counts["dropped"] += len(dropped)
        wakeup = self.qdisc.take_wakeup()
        if wakeup != NEVER:
            self.armed = wakeup
        self.check()
        return dropped

    def check(self):
        """Assert the identities of packets and bytes, and that no packet is lost or double."""
        q = self.qdisc
        for suffix in ("", "_bytes"):
            received, enqueued, dequeued, before, after = (
                getattr(q, name + suffix) for name in COMMON
            )
            assert received == enqueued + before
            assert (q.backlog if suffix else q.qlen) == enqueued - dequeued - after
        assert self.pool.used == q.qlen >= 0
        assert (q.backlog > 0) == (q.qlen > 0)

    def take(self):
        """Dequeue; check order within flows, and that nothing is withheld without a reason."""
        packet = self.qdisc.dequeue(self.now)
        row = None
        if packet != NIL:
            row = self.pool.read(packet)
            self.pool.free(packet)
            self.counts["delivered"] += 1
            key = (row["flow"], row["classid"], row["priority"], row["flags"])
            if self.keeps_order:
                # a segment's id is its super-packet's * 1000 + its number; others are scaled alike
                assert self.last_of_flow.get(key, -1) < self.place(row)
                self.last_of_flow[key] = self.place(row)
            if isinstance(self.qdisc, Fq):
                assert row["departure_time"] <= self.now
        dropped = self.settle()
        if row is None and self.qdisc.qlen:
            assert self.kind in ("fq", "tbf")
            assert self.armed > self.now
        self.outcomes.append(("take", row and (row["id"], row["tos"], row["length"]), dropped))
        return row is not None

    def place(self, row):
        """Return where a packet, or a segment, was in what was offered."""
        return row["id"] if row["id"] >= 10**9 else row["id"] * 1000

    def run(self, steps=300):
        """Offer and take at random, then take what is left; return a digest."""
        for id in range(10**6, 10**6 + steps):
            self.now += self.dice.choice([0, 0, 1000, 10**6, 10**7, 10**8])
            chance = self.dice.random()
            if chance < 0.55:
                self.offer(id)
            elif chance < 0.6:
                self.outcomes.append(("peek", self.qdisc.peek(self.now) != NIL, self.settle()))
            else:
                self.take()
        for _ in range(60):
            if self.take():
                continue
            if self.armed == NEVER or self.qdisc.qlen == 0:
                break
            self.now = max(self.now, self.armed)
        self.qdisc.reset()
        self.outcomes.append(("reset", self.settle()))
        assert self.qdisc.qlen == self.pool.used == 0
        self.outcomes.append(sorted(self.qdisc.statistics().items()))
        return hashlib.sha256(repr(self.outcomes).encode()).hexdigest()


def line(seed):
    """Return what `python -m` prints for a seed, but for how it was run."""
    drive = Drive(seed)
    digest = drive.run()
    counts = " ".join(str(drive.counts[name]) for name in ("offered", "delivered", "dropped"))
    return f"{seed} {drive.kind} {counts} {digest}"


def main(first, last):
    for seed in range(int(first), int(last)):
        print("compiled" if compiled() else "interpreted", line(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
