"""Trains for FIFOs, pfifo_fast, sfq, fq_codel and fq on a tap that the train reads."""

from __future__ import annotations

from tests.engine.kernel.frames import Change, Look, Packet, Read, Step, Train

US, MS = 1_000, 1_000_000
ADD = "qdisc add dev {dev} root handle 1: "


def primed(ring: int = 1, flow: int = 9, length: int = 1000, priority: int = 0) -> list[Step]:
    """Return packets that fill the tap: one more than it holds, one for the qdisc, then a read.

    After that the device is stopped and the qdisc has a packet, so that the next packets queue.
    """
    count = ring + 2
    found: list[Step] = [
        Packet(number * 10 * US, flow, length, priority=priority) for number in range(count)
    ]
    return [*found, Read(count * 10 * US)]


def burst(at: int, count: int, gap: int = 10 * US, **fields: object) -> list[Step]:
    """Return packets of one kind, a fixed time apart."""
    return [Packet(at + number * gap, **fields) for number in range(count)]  # type: ignore[arg-type]


def reads(at: int, count: int, gap: int) -> list[Step]:
    """Return reads of the tap, a fixed time apart."""
    return [Read(at + number * gap) for number in range(count)]


def merged(*parts: list[Step]) -> list[Step]:
    """Return the steps of several lists in the order of their times."""
    return sorted((step for part in parts for step in part), key=lambda step: step.at)


def tap(name: str, words: str, model: object, steps: list[Step], **more: object) -> Train:
    """Return a train on a tap."""
    more.setdefault("bypass", True)
    return Train(name, (ADD + words,), model, steps, device="tap", **more)  # type: ignore[arg-type]


def fifo(in_bytes: bool, limit: int, head_drop: bool = False) -> object:
    """Return the model of a FIFO."""
    return ("fifo", {"limit": limit, "in_bytes": in_bytes, "head_drop": head_drop})


MIXED = [1514, 60, 600, 1000, 1514, 90, 200, 1514, 700, 64, 1400, 333]


def mixed(at: int, count: int, flows: int = 3, gap: int = 7 * US, **fields: object) -> list[Step]:
    """Return packets of several flows and sizes."""
    return [
        Packet(at + n * gap, flow=1 + n % flows, length=MIXED[n % len(MIXED)], **fields)  # type: ignore[arg-type]
        for n in range(count)
    ]


FIFOS = [
    tap(
        "bfifo drops what does not fit",
        "bfifo limit 8000",
        fifo(True, 8000),
        merged(primed(), mixed(MS, 30), [Look(2 * MS)], reads(3 * MS, 6, MS), mixed(10 * MS, 12)),
    ),
    tap(
        "pfifo drops beyond its count",
        "pfifo limit 9",
        fifo(False, 9),
        merged(primed(), mixed(MS, 20), [Look(2 * MS)], reads(3 * MS, 4, MS), mixed(10 * MS, 12)),
    ),
    tap(
        "pfifo_head_drop drops the oldest",
        "pfifo_head_drop limit 7",
        fifo(False, 7, True),
        merged(primed(), mixed(MS, 20), [Look(2 * MS)], reads(3 * MS, 4, MS), mixed(10 * MS, 12)),
    ),
    tap(
        "pfifo with a lower limit keeps what it holds",
        "pfifo limit 9",
        fifo(False, 9),
        merged(
            primed(),
            mixed(MS, 8),
            [Change(2 * MS, "qdisc change dev {dev} handle 1: root pfifo limit 3")],
            mixed(3 * MS, 3),
            [Look(4 * MS)],
            reads(5 * MS, 8, MS),
            mixed(20 * MS, 4),
        ),
        changes=({"limit": 3},),
    ),
    tap(
        "pfifo_fast serves its bands in order",
        "pfifo_fast",
        ("pfifo_fast", {"limit": 5}),
        merged(
            primed(5, priority=0),
            burst(MS, 3, flow=1, priority=2),
            burst(2 * MS, 7, flow=2, priority=0),
            burst(3 * MS, 8, flow=3, priority=6, length=200),
            burst(4 * MS, 5, flow=4, priority=8),
            [Look(5 * MS)],
            reads(6 * MS, 9, MS),
            burst(20 * MS, 4, flow=5, priority=7),
        ),
        ring=5,
    ),
    tap(
        "pfifo_fast: the band of each priority",
        "pfifo_fast",
        ("pfifo_fast", {"limit": 20}),
        merged(
            primed(20),
            [Packet(MS + p * 10 * US, flow=p + 1, length=100 + p, priority=p) for p in range(16)],
            [Look(2 * MS)],
        ),
        ring=20,
    ),
]

SFQS = [
    tap(
        "sfq takes turns",
        "sfq quantum 1514",
        ("sfq", {"quantum": 1514}),
        merged(primed(), mixed(MS, 36), [Look(2 * MS)], reads(3 * MS, 20, MS), mixed(30 * MS, 9)),
    ),
    tap(
        "sfq with a small quantum and uneven sizes",
        "sfq quantum 300",
        ("sfq", {"quantum": 300}),
        merged(
            primed(),
            burst(MS, 8, flow=1, length=1514),
            burst(MS + 5 * US, 12, flow=2, length=60),
            burst(MS + 7 * US, 9, flow=3, length=700),
            [Look(2 * MS)],
        ),
    ),
    tap(
        "sfq drops from the fullest flow",
        "sfq limit 12 quantum 1514",
        ("sfq", {"limit": 12}),
        merged(
            primed(),
            burst(MS, 10, flow=1),
            burst(2 * MS, 6, flow=2, length=500),
            burst(3 * MS, 5, flow=3, length=90),
            [Look(4 * MS)],
            reads(5 * MS, 5, MS),
            burst(20 * MS, 9, flow=4),
        ),
    ),
    tap(
        "sfq drops the oldest with headdrop",
        "sfq limit 12 headdrop depth 6",
        ("sfq", {"limit": 12, "head_drop": True, "depth": 6}),
        merged(
            primed(),
            burst(MS, 9, flow=1),
            burst(2 * MS, 6, flow=2, length=500),
            burst(3 * MS, 5, flow=3, length=90),
            [Look(4 * MS)],
            reads(5 * MS, 5, MS),
            burst(20 * MS, 9, flow=4),
        ),
    ),
    tap(
        "sfq: a flow is no deeper than depth",
        "sfq limit 40 depth 4",
        ("sfq", {"limit": 40, "depth": 4}),
        merged(primed(), mixed(MS, 30), [Look(2 * MS)], reads(3 * MS, 5, MS), mixed(20 * MS, 9)),
    ),
    tap(
        "sfq has no queue for one flow more than flows",
        "sfq limit 40 flows 4",
        ("sfq", {"limit": 40, "flows": 4}),
        merged(primed(), mixed(MS, 30, flows=6), [Look(2 * MS)], reads(3 * MS, 30, MS)),
    ),
    tap(
        "sfq: flows of one packet each, too many",
        "sfq limit 5",
        ("sfq", {"limit": 5}),
        merged(primed(), mixed(MS, 12, flows=8), [Look(2 * MS)]),
    ),
    tap(
        "sfq: a priority chooses the bucket",
        "sfq",
        ("sfq", {"handle": 0x10000}),
        merged(
            primed(),
            burst(MS, 5, flow=1, priority=0x10005),
            burst(MS + US, 5, flow=2, priority=0x10005),
            burst(MS + 2 * US, 5, flow=3, priority=0x10006),
            [Look(2 * MS)],
        ),
    ),
]

FQ_CODELS = [
    tap(
        "fq_codel takes turns, new flows first",
        "fq_codel quantum 1514",
        ("fq_codel", {}),
        merged(
            primed(),
            mixed(MS, 30),
            [Look(2 * MS)],
            reads(2 * MS + 1, 5, 50 * US),
            burst(3 * MS, 2, flow=7, length=90),
            reads(3 * MS + 50 * US, 30, 50 * US),
        ),
    ),
    tap(
        "fq_codel with a small quantum",
        "fq_codel quantum 300",
        ("fq_codel", {"quantum": 300}),
        merged(
            primed(),
            burst(MS, 8, flow=1),
            burst(MS + 5 * US, 12, flow=2, length=60),
            burst(MS + 7 * US, 9, flow=3, length=700),
            [Look(2 * MS)],
            reads(3 * MS, 30, 50 * US),
        ),
    ),
    tap(
        "fq_codel drops a batch of the fattest flow",
        "fq_codel limit 20 drop_batch 4",
        ("fq_codel", {"limit": 20, "drop_batch": 4}),
        merged(
            primed(),
            burst(MS, 14, flow=1, length=600),
            burst(2 * MS, 9, flow=2, length=1514),
            burst(3 * MS, 12, flow=3, length=90),
            [Look(4 * MS)],
            reads(5 * MS, 5, 50 * US),
            burst(6 * MS, 9, flow=4),
            reads(7 * MS, 20, 50 * US),
        ),
    ),
    tap(
        "fq_codel counts no memory of local packets",
        "fq_codel memory_limit 40000",
        ("fq_codel", {"memory_limit": 40_000}),
        merged(
            primed(),
            burst(MS, 14, flow=1, length=600),
            burst(2 * MS, 9, flow=2, length=1514),
            burst(3 * MS, 12, flow=3, length=90),
            [Look(4 * MS)],
            reads(5 * MS, 30, 50 * US),
        ),
    ),
    tap(
        "fq_codel drops forwarded packets at its memory limit",
        "fq_codel memory_limit 40000",
        ("fq_codel", {"memory_limit": 40_000}),
        merged(
            primed(),
            burst(MS, 14, flow=1, length=600),
            burst(2 * MS, 9, flow=2, length=1514),
            burst(3 * MS, 12, flow=3, length=90),
            [Look(4 * MS)],
            reads(5 * MS, 4, 50 * US),
            [Look(6 * MS)],
            reads(7 * MS, 30, 50 * US),
        ),
        forwarded=True,
    ),
    tap(
        "fq_codel: CoDel drops a standing queue of one flow",
        "fq_codel",
        ("fq_codel", {}),
        merged(primed(flow=1), burst(MS, 400, flow=1, gap=300 * US), reads(2 * MS, 380, MS)),
    ),
    tap(
        "fq_codel: CoDel marks where it can",
        "fq_codel",
        ("fq_codel", {}),
        merged(
            primed(flow=1),
            burst(MS, 300, flow=1, gap=300 * US, tos=2),
            burst(MS + US, 100, flow=2, gap=MS, tos=1),
            burst(MS + 2 * US, 100, flow=3, gap=MS),
            reads(2 * MS, 480, MS),
        ),
    ),
    tap(
        "fq_codel: CoDel counts on where it left off",
        "fq_codel target 2ms interval 20ms noecn",
        ("fq_codel", {"target": 2000, "interval": 20_000, "ecn": False}),
        merged(
            primed(flow=1),
            burst(MS, 100, flow=1, gap=300 * US),
            reads(2 * MS, 110, MS),
            burst(113 * MS, 150, flow=1, gap=300 * US),
            reads(115 * MS, 160, MS),
            burst(500 * MS, 90, flow=1, gap=300 * US),
            reads(502 * MS, 100, MS),
        ),
    ),
    tap(
        "fq_codel: ce_threshold marks before CoDel does",
        "fq_codel ce_threshold 3ms",
        ("fq_codel", {"ce_threshold": 3_000}),
        merged(
            primed(flow=1),
            burst(MS, 30, flow=1, tos=2),
            burst(MS + US, 5, flow=2),
            reads(2 * MS, 40, MS),
        ),
    ),
]

FORWARDED = [
    tap(
        "sfq: forwarded packets",
        "sfq limit 12 quantum 1514",
        ("sfq", {"limit": 12}),
        merged(primed(), mixed(MS, 36), [Look(2 * MS)], reads(3 * MS, 20, MS)),
        forwarded=True,
    ),
    tap(
        "pfifo_head_drop: forwarded packets",
        "pfifo_head_drop limit 7",
        fifo(False, 7, True),
        merged(primed(), mixed(MS, 20), [Look(2 * MS)], reads(3 * MS, 4, MS)),
        forwarded=True,
    ),
]

TRAINS = [*FIFOS, *SFQS, *FQ_CODELS, *FORWARDED]
