"""Trains for cake's ACK filter, which reads real TCP headers."""

from __future__ import annotations

from tests.engine.kernel.frames import Packet, Step
from tests.engine.kernel.trains_cake import at, cake
from tests.engine.kernel.trains_fifo import US

MANY_ACKS: list[Step] = [
    *[
        Packet(n * 10 * US, kind="ack", length=66, acknowledged=2000 * n, timestamp=100 + n)
        for n in range(12)
    ],
    Packet(130 * US, kind="ack", length=66, acknowledged=22_000, timestamp=112),
    Packet(140 * US, kind="ack", length=66, acknowledged=22_000, timestamp=112),
    Packet(
        150 * US,
        kind="ack",
        length=78,
        acknowledged=22_000,
        timestamp=112,
        sack=((24_000, 26_000),),
    ),
    Packet(
        160 * US,
        kind="ack",
        length=78,
        acknowledged=22_000,
        timestamp=113,
        sack=((24_000, 28_000),),
    ),
    Packet(170 * US, kind="ack", length=66, acknowledged=26_000, timestamp=114, flags=0x50),
    Packet(180 * US, kind="ack", length=66, acknowledged=28_000, timestamp=115, flags=0x50),
    Packet(190 * US, kind="ack", length=66, acknowledged=30_000, timestamp=116, flags=0x50),
    Packet(200 * US, kind="ack", length=66, acknowledged=32_000, timestamp=117, flags=0x18),
    Packet(210 * US, kind="ack", length=66, acknowledged=34_000, timestamp=118),
    Packet(220 * US, kind="ack", length=566, acknowledged=36_000, timestamp=119),
    Packet(230 * US, kind="ack", length=66, acknowledged=38_000, timestamp=90),
    Packet(240 * US, kind="ack", length=54, acknowledged=40_000),
    Packet(250 * US, kind="ack", length=54, acknowledged=42_000),
    Packet(260 * US, kind="ack", flow=2, length=54, acknowledged=9),
    Packet(270 * US, kind="ack", flow=2, length=54, acknowledged=10, flags=0x11),
    Packet(280 * US, kind="ack", length=54, acknowledged=44_000),
]

TRAINS = [
    cake(
        "cake ack-filter",
        "bandwidth 200kbit besteffort ack-filter",
        at(200_000, ack_filter=1),
        MANY_ACKS,
    ),
    cake(
        "cake ack-filter-aggressive",
        "bandwidth 200kbit besteffort ack-filter-aggressive",
        at(200_000, ack_filter=2),
        MANY_ACKS,
    ),
    cake(
        "cake ack-filter ingress",
        "bandwidth 200kbit besteffort ack-filter ingress",
        at(200_000, ack_filter=1, ingress=True),
        MANY_ACKS,
    ),
]
