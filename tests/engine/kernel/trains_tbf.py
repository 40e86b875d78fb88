"""Trains for tbf through a veth: rates, bursts, peaks, framing, and what may be inside."""

from __future__ import annotations

from tests.engine.kernel.frames import Change, Look, Packet, Step, Train
from tests.engine.kernel.trains_fifo import ADD, MIXED, MS, US, burst, fifo, merged, mixed

INNER = "qdisc add dev {dev} parent 1:1 handle 10: "
NO_DITHER = "none is drawn"


def tbf(
    name: str,
    words: str,
    given: dict[str, object],
    steps: list[Step],
    inner: str = "",
    model: object = None,
    **more: object,
) -> Train:
    """Return a train through tbf on a veth; without `inner` it holds tc's bfifo."""
    commands = [ADD + "tbf " + words]
    if inner:
        commands.append(INNER + inner)
    made = ("tbf", {"inner": model, **given})
    return Train(name, tuple(commands), made, steps, **more)  # type: ignore[arg-type]


def rate(bits: int, overhead: int = 0, mpu: int = 0, atm: bool = False) -> tuple[object, ...]:
    """Return the arguments of the engine's rate."""
    return (bits // 8, overhead, mpu, atm)


PACED = merged(
    burst(0, 20, flow=1), burst(40 * MS, 12, flow=1, length=333), burst(60 * MS, 6, flow=2),
    burst(200 * MS, 9, flow=3, gap=300 * US), burst(230 * MS, 15, flow=1, length=60),
)  # fmt: skip

TRAINS = [
    tbf(
        "tbf 10mbit, burst 5000",
        "rate 10mbit burst 5000 limit 100000",
        {"rate": rate(10_000_000), "burst": 5000},
        PACED,
        model=fifo(True, 100_000),
    ),
    tbf(
        "tbf 1mbit, burst of one frame",
        "rate 1mbit burst 1514 limit 100000",
        {"rate": rate(1_000_000), "burst": 1514},
        PACED,
        model=fifo(True, 100_000),
        drifts=True,  # the bucket is full when the timer fires
    ),
    tbf(
        "tbf 500mbit, burst 20480",
        "rate 500mbit burst 20480 limit 100000",
        {"rate": rate(500_000_000), "burst": 20_480},
        merged(burst(0, 60, gap=2 * US), burst(5 * MS, 60, gap=30 * US)),
        model=fifo(True, 100_000),
        loose=("overlimits",),  # packets come within the timer's resolution of its expiry
    ),
    tbf(
        "tbf drops what its bfifo has no room for",
        "rate 2mbit burst 3000 limit 12000",
        {"rate": rate(2_000_000), "burst": 3000},
        merged(mixed(0, 40, gap=100 * US), [Look(10 * MS)], mixed(30 * MS, 30, gap=400 * US)),
        model=fifo(True, 12_000),
    ),
    tbf(
        "tbf drops what is longer than its burst",
        "rate 2mbit burst 1000 limit 12000",
        {"rate": rate(2_000_000), "burst": 1000},
        mixed(0, 24, gap=MS),
        model=fifo(True, 12_000),
    ),
    tbf(
        "tbf with a peak rate",
        "rate 5mbit burst 30000 limit 100000 peakrate 20mbit mtu 2000",
        {"rate": rate(5_000_000), "burst": 30_000, "peak": rate(20_000_000), "peak_burst": 2000},
        merged(burst(0, 50), burst(200 * MS, 40, length=700)),
        model=fifo(True, 100_000),
        loose=("overlimits",),  # packets come within the timer's resolution of its expiry
    ),
    tbf(
        "tbf with a peak rate and framing",
        "rate 5mbit burst 30000 limit 100000 peakrate 8mbit mtu 1600 overhead 24 mpu 84",
        {
            "rate": rate(5_000_000, 24, 84),
            "burst": 30_000,
            "peak": rate(8_000_000, 24, 84),
            "peak_burst": 1600,
        },
        merged(burst(0, 50), burst(200 * MS, 40, length=60)),
        model=fifo(True, 100_000),
    ),
    tbf(
        "tbf with overhead and mpu",
        "rate 3mbit burst 4000 limit 100000 overhead 38 mpu 84",
        {"rate": rate(3_000_000, 38, 84), "burst": 4000},
        merged(PACED, [Packet(400 * MS + n * MS, length=size) for n, size in enumerate(MIXED)]),
        model=fifo(True, 100_000),
    ),
    tbf(
        "tbf in ATM cells",
        "rate 3mbit burst 4000 limit 100000 overhead 10 linklayer atm",
        {"rate": rate(3_000_000, 10, 0, True), "burst": 4000},
        merged(PACED, [Packet(400 * MS + n * MS, length=size) for n, size in enumerate(MIXED)]),
        model=fifo(True, 100_000),
    ),
    tbf(
        "tbf with sfq inside",
        "rate 4mbit burst 3000 limit 100000",
        {"rate": rate(4_000_000), "burst": 3000},
        merged(mixed(0, 90, flows=5, gap=200 * US), [Look(15 * MS)]),
        "sfq limit 30 quantum 1514",
        ("sfq", {"limit": 30, "handle": 0x100000}),
    ),
    tbf(
        "tbf with fq_codel inside",
        "rate 4mbit burst 3000 limit 100000",
        {"rate": rate(4_000_000), "burst": 3000},
        merged(
            burst(0, 300, flow=1, gap=MS),
            burst(US, 300, flow=2, gap=MS, tos=1, length=700),
            burst(2 * US, 60, flow=3, gap=5 * MS, length=100),
        ),
        "fq_codel target 5ms interval 50ms",
        ("fq_codel", {"interval": 50_000}),
    ),
    tbf(
        "tbf with a full fq_codel inside",
        "rate 1mbit burst 3000 limit 100000",
        {"rate": rate(1_000_000), "burst": 3000},
        merged(burst(0, 40, flow=1), burst(MS, 30, flow=2, length=500), [Look(5 * MS)]),
        "fq_codel limit 25 drop_batch 8 noecn",
        ("fq_codel", {"limit": 25, "drop_batch": 8, "ecn": False}),
    ),
    tbf(
        "tbf with pfifo inside",
        "rate 1mbit burst 3000 limit 100000",
        {"rate": rate(1_000_000), "burst": 3000},
        mixed(0, 40, gap=300 * US),
        "pfifo limit 7",
        fifo(False, 7),
    ),
    tbf(
        "tbf with pfifo_head_drop inside",
        "rate 1mbit burst 3000 limit 100000",
        {"rate": rate(1_000_000), "burst": 3000},
        mixed(0, 40, gap=300 * US),
        "pfifo_head_drop limit 7",
        fifo(False, 7, True),
    ),
    tbf(
        "tbf cuts a super-packet longer than its burst",
        "rate 4mbit burst 3000 limit 100000",
        {"rate": rate(4_000_000), "burst": 3000},
        [
            Packet(0, kind="tcp", length=54 + 6300, gso=1000),
            Packet(US, flow=2),
            Packet(20 * MS, kind="udp", length=42 + 5000, gso=1000),
            Packet(60 * MS, kind="tcp", length=54 + 7000, gso=2990),
            Packet(61 * MS),
        ],
        model=fifo(True, 100_000),
    ),
    tbf(
        "tbf sends a super-packet within its burst whole",
        "rate 4mbit burst 10000 limit 100000",
        {"rate": rate(4_000_000), "burst": 10_000},
        [
            Packet(0, kind="tcp", length=54 + 6300, gso=1000),
            Packet(US, flow=2),
            Packet(2 * US, kind="tcp", length=54 + 9000, gso=1000),
            Packet(20 * MS, kind="udp", length=42 + 5000, gso=1000),
        ],
        model=fifo(True, 100_000),
        loose=("packets",),  # the engine counts a super-packet as one
    ),
    tbf(
        "tbf refills when it is changed",
        "rate 2mbit burst 6000 limit 100000",
        {"rate": rate(2_000_000), "burst": 6000},
        merged(
            burst(0, 30),
            [
                Change(
                    30 * MS,
                    "qdisc change dev {dev} handle 1: root tbf rate 8mbit burst 4000 limit 100000",
                )
            ],
            burst(100 * MS, 9),
        ),
        model=fifo(True, 100_000),
        changes=({"pace": rate(8_000_000), "burst": 4000},),
        drifts=True,  # a change fills the bucket, and the timer that was armed before is late
    ),
]
