"""Trains for cake_mq and mq on a veth with four transmit queues, chosen by flow."""

from __future__ import annotations

from tests.engine.kernel.frames import Change, Look, Packet, Step, Train
from tests.engine.kernel.trains_cake import BESTEFFORT, DIFFSERV4, DITHER, at
from tests.engine.kernel.trains_fifo import ADD, MS, US, burst, fifo, merged

QUEUES = 4
FILTERS = (
    "qdisc add dev {dev} clsact",
    *(
        f"filter add dev {{dev}} egress protocol ip pref {flow} u32 "
        f"match ip sport {1000 + flow} 0xffff action skbedit queue_mapping {(flow - 1) % QUEUES}"
        for flow in range(1, 9)
    ),
)


def mq(name: str, tc: tuple[str, ...], model: object, steps: list[Step], **more: object) -> Train:
    """Return a train on a veth with four transmit queues; flow 1 takes the first."""
    return Train(name, tc, model, steps, queues=QUEUES, filters=FILTERS, **more)  # type: ignore[arg-type]


def cake_mq(
    name: str, words: str, given: dict[str, object], steps: list[Step], **more: object
) -> Train:
    """Return a train through cake_mq."""
    return mq(name, (ADD + "cake_mq " + words,), ("cake_mq", given), steps, chance=DITHER, **more)


def child(queue: int, words: str) -> str:
    """Return the command that gives a queue of mq its qdisc."""
    return f"qdisc add dev {{dev}} parent 1:{queue} handle {queue + 1}0: {words}"


TRAINS = [
    cake_mq(
        "cake_mq: one queue has the rate",
        "bandwidth 10mbit besteffort",
        at(10_000_000),
        burst(0, 40, flow=1, gap=33 * US),
    ),
    cake_mq(
        "cake_mq: two queues share the rate",
        "bandwidth 10mbit besteffort",
        at(10_000_000),
        merged(
            burst(0, 40, flow=1, gap=33 * US), burst(10 * MS, 40, flow=2, gap=31 * US, length=913)
        ),
    ),
    cake_mq(
        "cake_mq: four queues share the rate, then fewer",
        "bandwidth 20mbit besteffort",
        at(20_000_000),
        merged(
            burst(0, 60, flow=1, gap=33 * US),
            burst(3 * MS, 40, flow=2, gap=31 * US, length=913),
            burst(5 * MS, 20, flow=3, gap=37 * US, length=611),
            burst(7 * MS, 9, flow=4, gap=MS),
            [Look(25 * MS)],
            burst(120 * MS, 20, flow=2, gap=173 * US),
        ),
    ),
    cake_mq(
        "cake_mq: two flows in a queue",
        "bandwidth 20mbit besteffort flows",
        at(20_000_000, flow_mode=4),
        merged(
            burst(0, 30, flow=1, gap=33 * US),
            burst(5 * US, 30, flow=5, gap=33 * US, length=907),
            burst(7 * MS, 30, flow=2, gap=37 * US, length=611),
        ),
    ),
    cake_mq(
        "cake_mq diffserv4",
        "bandwidth 20mbit diffserv4 flows",
        at(20_000_000, DIFFSERV4, flow_mode=4),
        merged(
            burst(0, 30, flow=1, gap=33 * US, tos=0xB8, length=911),
            burst(US, 30, flow=2, gap=33 * US),
            burst(2 * US, 20, flow=5, gap=33 * US, tos=0x20, length=733),
            burst(3 * US, 20, flow=3, gap=33 * US, tos=0x88, length=601),
        ),
    ),
    cake_mq(
        "cake_mq: priorities choose tins",
        "bandwidth 20mbit diffserv4 flows",
        at(20_000_000, DIFFSERV4, flow_mode=4),
        [
            Packet(
                n * 33 * US,
                flow=1 + n % 5,
                priority=(0, 1, 2, 3, 4)[n % 5],
                length=(901, 677, 811, 733, 907)[n % 5],
                tos=0x88,
            )
            for n in range(60)
        ],
    ),
    cake_mq(
        "cake_mq unlimited",
        "unlimited besteffort",
        {"tins": BESTEFFORT},
        merged(burst(0, 10, flow=1), burst(US, 10, flow=2), burst(2 * US, 10, flow=3)),
    ),
    cake_mq(
        "cake_mq changes its rate",
        "bandwidth 5mbit besteffort",
        at(5_000_000),
        merged(
            burst(0, 30, flow=1, gap=33 * US),
            burst(5 * US, 30, flow=2, gap=37 * US, length=611),
            [Change(21_300 * US, "qdisc change dev {dev} handle 1: root cake_mq bandwidth 15mbit")],
            burst(150 * MS, 20, flow=3, gap=US),
        ),
        changes=({"rate": 1_875_000},),
    ),
    cake_mq(
        "cake_mq drops and marks",
        "bandwidth 10mbit besteffort",
        at(10_000_000),
        merged(burst(0, 200, flow=1, gap=1510 * US, tos=2), burst(MS, 200, flow=2, gap=1490 * US)),
    ),
    mq(
        "mq with bfifo, pfifo and two tbf",
        (
            ADD + "mq",
            child(1, "bfifo limit 9000"),
            child(2, "pfifo limit 5"),
            child(3, "tbf rate 5mbit burst 3000 limit 15000"),
            child(4, "tbf rate 3mbit burst 2000 limit 9000"),
        ),
        (
            "mq",
            {
                "children": [
                    fifo(True, 9000),
                    fifo(False, 5),
                    ("tbf", {"rate": (625_000,), "burst": 3000, "inner": fifo(True, 15_000)}),
                    ("tbf", {"rate": (375_000,), "burst": 2000, "inner": fifo(True, 9000)}),
                ]
            },
        ),
        [
            Packet(n * 33 * US, flow=1 + n % 4, length=(901, 677, 811, 733)[n % 4])
            for n in range(120)
        ],
    ),
]
