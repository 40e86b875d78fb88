"""Trains for cake: shaped through a veth, unlimited on a tap that the train reads."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.kernel.frames import Change, Look, Packet, Step, Train
from tests.engine.kernel.trains_fifo import ADD, MIXED, MS, US, burst, merged, mixed, reads

DITHER = "the quantum's dither: the same outcome with either extreme"
BLUE = "BLUE at 1/256 a drop, and the quantum's dither: neither struck"
DIFFSERV3, DIFFSERV4, DIFFSERV8, BESTEFFORT, PRECEDENCE = range(5)
DSCPS = (0, 8, 46, 34, 26, 18, 10, 1, 4, 40, 48, 56, 32, 16, 63, 44)


def cake(
    name: str, words: str, given: dict[str, object], steps: list[Step], **more: object
) -> Train:
    """Return a train through cake; `given` are fields of the engine's configuration."""
    more.setdefault("chance", DITHER)
    return Train(name, (ADD + "cake " + words,), ("cake", given), steps, **more)  # type: ignore[arg-type]


def at(bits: int, tins: int = BESTEFFORT, **given: object) -> dict[str, object]:
    """Return a configuration with a rate."""
    return {"rate": bits // 8, "tins": tins, **given}


def marked(
    dscps: tuple[int, ...], count: int, gap: int = 21 * US, length: int = 1000
) -> list[Step]:
    """Return packets of one flow for each code point, in turn."""
    return [
        Packet(n * gap, flow=1 + n % len(dscps), tos=dscps[n % len(dscps)] << 2, length=length)
        for n in range(count)
    ]


def sized(start: int, count: int, gap: int) -> list[Step]:
    """Return packets of three flows, each with packets of one size."""
    sizes = (1007, 90, 1514)
    return [Packet(start + n * gap, flow=1 + n % 3, length=sizes[n % 3]) for n in range(count)]


SIZES: list[Step] = [Packet(n * 5 * MS, length=size) for n, size in enumerate(MIXED * 2)]
FOUR_HOSTS = [
    Packet(n * 11 * US, flow=flow, source=source, destination=destination, length=1216)
    for n, (flow, source, destination) in enumerate(
        [(1, 1, 20), (2, 1, 20), (3, 1, 20), (4, 2, 20), (5, 2, 21), (6, 3, 21)] * 15
    )
]

SHAPED = [
    cake(
        "cake besteffort 10mbit",
        "bandwidth 10mbit besteffort",
        at(10_000_000),
        merged(sized(0, 60, 7 * US), burst(100 * MS, 9, gap=MS), burst(150 * MS, 5, gap=3 * MS)),
    ),
    cake(
        "cake besteffort 500kbit",
        "bandwidth 500kbit besteffort",
        at(500_000),
        merged(mixed(0, 30), [Look(60 * MS)], burst(900 * MS, 5)),
    ),
    cake(
        "cake besteffort 1gbit",
        "bandwidth 1gbit besteffort",
        at(1_000_000_000),
        merged(burst(0, 90, gap=US), burst(20 * MS, 40, gap=11 * US, length=600)),
        loose=("overlimits",),
    ),
    cake(
        "cake overhead 38 mpu 84",
        "bandwidth 5mbit besteffort ethernet",
        at(5_000_000, network_size=True, overhead=38, mpu=84),
        SIZES,
    ),
    cake(
        "cake pppoe-vcmux in ATM cells",
        "bandwidth 5mbit besteffort pppoe-vcmux",
        at(5_000_000, network_size=True, overhead=32, cells=1),
        SIZES,
    ),
    cake(
        "cake bridged-ptm",
        "bandwidth 5mbit besteffort bridged-ptm",
        at(5_000_000, network_size=True, overhead=22, cells=2),
        SIZES,
    ),
    cake(
        "cake overhead -20 mpu 70",
        "bandwidth 5mbit besteffort overhead -20 mpu 70",
        at(5_000_000, network_size=True, overhead=-20, mpu=70),
        SIZES,
    ),
    cake(
        "cake raw in ATM cells",
        "bandwidth 5mbit besteffort raw atm mpu 64",
        at(5_000_000, cells=1, mpu=64),
        SIZES,
    ),
    cake(
        "cake diffserv3 by DSCP",
        "bandwidth 8mbit diffserv3 flows",
        at(8_000_000, DIFFSERV3, flow_mode=4),
        marked(DSCPS, 96),
    ),
    cake(
        "cake diffserv4 by DSCP",
        "bandwidth 8mbit diffserv4",
        at(8_000_000, DIFFSERV4),
        marked(DSCPS, 96),
    ),
    cake(
        "cake diffserv8 by DSCP",
        "bandwidth 8mbit diffserv8",
        at(8_000_000, DIFFSERV8),
        marked(DSCPS, 96),
    ),
    cake(
        "cake precedence by DSCP",
        "bandwidth 8mbit precedence",
        at(8_000_000, PRECEDENCE),
        marked(DSCPS, 96),
    ),
    cake(
        "cake: ARP, IPv6, VLAN and others",
        "bandwidth 2mbit diffserv4 flows",
        at(2_000_000, DIFFSERV4, flow_mode=4),
        [
            Packet(n * 20 * US, kind=kind, length=length, tos=0xB8)
            for n, (kind, length) in enumerate(
                [("udp", 600), ("arp", 60), ("ipv6", 500), ("other", 300), ("vlan", 400)] * 6
            )
        ],
    ),
    cake(
        "cake flowblind",
        "bandwidth 10mbit besteffort flowblind",
        at(10_000_000, flow_mode=0),
        FOUR_HOSTS,
    ),
    cake(
        "cake srchost",
        "bandwidth 10mbit besteffort srchost",
        at(10_000_000, flow_mode=1),
        FOUR_HOSTS,
    ),
    cake(
        "cake dsthost",
        "bandwidth 10mbit besteffort dsthost",
        at(10_000_000, flow_mode=2),
        FOUR_HOSTS,
    ),
    cake(
        "cake hosts", "bandwidth 10mbit besteffort hosts", at(10_000_000, flow_mode=3), FOUR_HOSTS
    ),
    cake(
        "cake flows", "bandwidth 10mbit besteffort flows", at(10_000_000, flow_mode=4), FOUR_HOSTS
    ),
    cake(
        "cake dual-srchost",
        "bandwidth 10mbit besteffort dual-srchost",
        at(10_000_000, flow_mode=5),
        FOUR_HOSTS,
    ),
    cake(
        "cake dual-dsthost",
        "bandwidth 10mbit besteffort dual-dsthost",
        at(10_000_000, flow_mode=6),
        FOUR_HOSTS,
    ),
    cake(
        "cake triple-isolate",
        "bandwidth 10mbit besteffort triple-isolate",
        at(10_000_000, flow_mode=7),
        FOUR_HOSTS,
    ),
    cake(
        "cake drops a standing queue",
        "bandwidth 5mbit besteffort",
        at(5_000_000),
        merged(burst(0, 250, gap=1500 * US), burst(US, 60, flow=2, gap=8 * MS, length=200)),
    ),
    cake(
        "cake marks a standing queue",
        "bandwidth 5mbit besteffort",
        at(5_000_000),
        merged(burst(0, 250, gap=1500 * US, tos=2), burst(US, 120, flow=2, gap=3 * MS, tos=1)),
    ),
    cake(
        "cake rtt 10ms",
        "bandwidth 20mbit besteffort rtt 10ms",
        at(20_000_000, interval=10_000, target=500),
        merged(burst(0, 200, gap=500 * US), burst(300 * MS, 100, gap=500 * US)),
    ),
    cake(
        "cake: two episodes of a queue",
        "bandwidth 5mbit besteffort",
        at(5_000_000),
        merged(
            burst(0, 100, gap=1500 * US),
            burst(500 * MS, 100, gap=1500 * US),
            burst(3_000 * MS, 100, gap=1500 * US),
        ),
    ),
    cake(
        "cake at its memory limit",
        "bandwidth 3mbit besteffort memlimit 60000",
        at(3_000_000, memory=60_000),
        merged(burst(0, 40, gap=200 * US), burst(US, 3, flow=2, gap=4 * MS, length=600)),
        chance=BLUE,
    ),
    cake(
        "cake ingress",
        "bandwidth 5mbit besteffort ingress",
        at(5_000_000, ingress=True),
        merged(burst(0, 250, gap=1500 * US), burst(US, 60, flow=2, gap=8 * MS, length=200)),
    ),
    cake(
        "cake ingress at its memory limit",
        "bandwidth 3mbit besteffort ingress memlimit 60000",
        at(3_000_000, ingress=True, memory=60_000),
        burst(0, 40, gap=200 * US),
        chance=BLUE,
    ),
    cake(
        "cake wash",
        "bandwidth 8mbit diffserv4 wash flows",
        at(8_000_000, DIFFSERV4, wash=True, flow_mode=4),
        [
            Packet(
                n * 20 * US,
                flow=1 + n % 4,
                tos=(0xB9, 0xBA, 0x23, 0x88)[n % 4],
                length=(701, 613, 911, 557)[n % 4],
                kind=("udp", "ipv6")[n // 4 % 2],
            )
            for n in range(40)
        ],
    ),
    cake(
        "cake fwmark",
        "bandwidth 8mbit diffserv4 fwmark 0xff00 flows",
        at(8_000_000, DIFFSERV4, fwmark=0xFF00, flow_mode=4),
        [
            Packet(
                n * 20 * US,
                flow=1 + n % 7,
                mark=(0, 0x100, 0x200, 0x300, 0x400, 0x500, 0x4)[n % 7],
                tos=0xB8,
                length=(901, 677, 811, 733, 907, 919, 929)[n % 7],
            )
            for n in range(70)
        ],
    ),
    cake(
        "cake: a priority chooses the tin",
        "bandwidth 8mbit diffserv4",
        at(8_000_000, DIFFSERV4),
        [
            Packet(
                n * 20 * US,
                flow=1 + n % 7,
                priority=(0, 0x10001, 0x10002, 0x10003, 0x10004, 0x10005, 3)[n % 7],
                length=900,
            )
            for n in range(70)
        ],
    ),
    cake(
        "cake splits super-packets",
        "bandwidth 20mbit besteffort overhead 38",
        at(20_000_000, network_size=True, overhead=38),
        [
            Packet(0, kind="tcp", length=54 + 14_480, gso=1448),
            Packet(US, flow=2),
            Packet(30 * US, kind="tcp", flow=3, length=54 + 5500, gso=1000),
            Packet(40 * US, kind="udp", flow=4, length=42 + 7000, gso=1400),
            *burst(MS, 5, flow=5),
        ],
        loose=("memory_used",),
    ),
    cake(
        "cake keeps super-packets whole",
        "bandwidth 20mbit besteffort overhead 38 no-split-gso",
        at(20_000_000, network_size=True, overhead=38, split_gso=False),
        [
            Packet(0, kind="tcp", length=54 + 14_480, gso=1448),
            Packet(US, flow=2),
            Packet(30 * US, kind="tcp", flow=3, length=54 + 5500, gso=1000),
            Packet(40 * US, kind="udp", flow=4, length=42 + 7000, gso=1400),
            *burst(MS, 5, flow=5),
        ],
        loose=("packets",),
    ),
    cake(
        "cake super-packets in ATM cells",
        "bandwidth 20mbit besteffort pppoe-vcmux no-split-gso",
        at(20_000_000, network_size=True, overhead=32, cells=1, split_gso=False),
        [
            Packet(0, kind="tcp", length=54 + 14_480, gso=1448),
            Packet(30 * US, kind="tcp", flow=3, length=54 + 5500, gso=1000),
            *burst(MS, 5, flow=5),
        ],
        loose=("packets",),
    ),
    cake(
        "cake autorate-ingress",
        "bandwidth 10mbit autorate-ingress besteffort",
        at(10_000_000, autorate=True),
        merged(burst(0, 60, gap=3 * MS), burst(1_500 * MS, 60, gap=700 * US)),
    ),
    cake(
        "cake changes its rate",
        "bandwidth 2mbit besteffort",
        at(2_000_000),
        merged(
            burst(0, 40),
            [Change(42_500 * US, "qdisc change dev {dev} handle 1: root cake bandwidth 20mbit")],
            burst(60 * MS, 20),
        ),
        changes=({"rate": 2_500_000},),
    ),
    cake(
        "cake changes its tins",
        "bandwidth 2mbit diffserv4",
        at(2_000_000, DIFFSERV4),
        merged(
            marked((0, 8, 34, 46), 40),
            [Change(42_500 * US, "qdisc change dev {dev} handle 1: root cake besteffort")],
            marked((0, 8, 34, 46), 1, length=500)[:0],
        ),
        changes=({"tins": BESTEFFORT},),
    ),
    cake(
        "cake handle 0 is not this one",
        "bandwidth 8mbit diffserv3",
        at(8_000_000, DIFFSERV3),
        [Packet(n * 20 * US, flow=1 + n % 4, priority=n % 4, length=900) for n in range(40)],
    ),
]


def unlimited(
    name: str, words: str, given: dict[str, object], steps: list[Step], **more: object
) -> Train:
    """Return a train through cake without a rate, on a tap."""
    return cake(name, "unlimited " + words, given, steps, device="tap", **more)


UNLIMITED = [
    unlimited(
        "cake unlimited diffserv4 takes turns",
        "diffserv4",
        {"tins": DIFFSERV4},
        merged(marked((0, 8, 34, 46), 240, gap=2 * US), [Look(2 * MS)], reads(3 * MS, 60, 10 * US)),
    ),
    unlimited(
        "cake unlimited diffserv8 takes turns",
        "diffserv8 flows",
        {"tins": DIFFSERV8, "flow_mode": 4},
        merged(marked(DSCPS, 240, gap=2 * US), reads(3 * MS, 60, 10 * US)),
    ),
    unlimited(
        "cake unlimited, flows and hosts",
        "besteffort dual-srchost",
        {"tins": BESTEFFORT, "flow_mode": 5},
        merged([replace(step, length=896) for step in FOUR_HOSTS], reads(3 * MS, 100, 10 * US)),
    ),
    unlimited(
        "cake unlimited marks and drops",
        "besteffort",
        {"tins": BESTEFFORT},
        merged(
            burst(0, 200, gap=300 * US, tos=2),
            burst(US, 100, flow=2, gap=500 * US),
            reads(MS, 300, MS),
        ),
    ),
]

TRAINS = [*SHAPED, *UNLIMITED]
