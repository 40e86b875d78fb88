"""tbf's options as policies and as tc's words, and settings from its whole space."""

from random import Random

from tcc.plugin import Child
from tcc_plugins.bfifo import BfifoSettings
from tcc_plugins.cake import CakeSettings
from tcc_plugins.fq_codel import FqCodelSettings
from tcc_plugins.pfifo import PfifoSettings
from tcc_plugins.sfq import SfqSettings
from tcc_plugins.tbf import TbfSettings

# Bandwidth, the block, the link's framing; and tc's words. veth adds a 14 byte header.
OPTIONS = [
    ("50mbit", "burst 16KiB; latency 50ms", "", "rate 50mbit burst 16k latency 50ms"),
    ("1gbit", "burst 5000B; latency 50ms", "", "rate 1gbit burst 5000 latency 50ms"),
    ("10gbit", "burst 1600B; latency 50ms", "", "rate 10gbit burst 1600 latency 50ms"),
    ("34gbit", "burst 64KiB; latency 5ms", "", "rate 34gbit burst 64k latency 5ms"),
    ("40gbit", "burst 64KiB; latency 5ms", "", "rate 40gbit burst 64k latency 5ms"),
    ("400gbit", "burst 1MiB; latency 1ms", "", "rate 400gbit burst 1m latency 1ms"),
    ("50mbit", "burst 16KiB; limit 100000B", "", "rate 50mbit burst 16k limit 100000"),
    ("1.5mbit", "burst 16KiB; latency 50ms", "", "rate 1.5mbit burst 16k latency 50ms"),
    ("8kbit", "burst 1600B; latency 500ms", "", "rate 8kbit burst 1600 latency 500ms"),
    ("50mbit", "buffer 16KiB; latency 1500us", "", "rate 50mbit buffer 16k latency 1500us"),
    ("50mbit", "maxburst 16KiB; latency 1.5s", "", "rate 50mbit maxburst 16k latency 1.5s"),
    ("50mbit", "burst 16KiB; latency 50ms; peak 100mbit; mtu 1540B", "",
     "rate 50mbit burst 16k latency 50ms peakrate 100mbit mtu 1540"),
    ("50mbit", "burst 16KiB; latency 50ms; peakrate 51mbit; minburst 2000B", "",
     "rate 50mbit burst 16k latency 50ms peakrate 51mbit minburst 2000"),
    ("30gbit", "burst 1MiB; latency 1ms; peak 40gbit; mtu 9000B", "",
     "rate 30gbit burst 1m latency 1ms peakrate 40gbit mtu 9000"),
    ("50mbit", "burst 16KiB; latency 50ms", "framing { overhead 32B; mpu 64B }",
     "rate 50mbit burst 16k latency 50ms overhead 18 mpu 64"),
    ("50mbit", "burst 16KiB; latency 50ms", "framing pppoe-llcsnap",
     "rate 50mbit burst 16k latency 50ms overhead 26 linklayer atm"),
    ("50mbit", "burst 16KiB; latency 50ms", "framing ethernet + vlan",
     "rate 50mbit burst 16k latency 50ms overhead 28 mpu 84 linklayer ethernet"),
    ("50mbit", "burst 16KiB; latency 50ms; peak 60mbit; mtu 1600B", "framing pppoa-llc",
     "rate 50mbit burst 16k latency 50ms overhead 0 linklayer adsl peakrate 60mbit mtu 1600"),
    ("50mbit", "burst 16KiB; latency 50ms", "framing raw", "rate 50mbit burst 16k latency 50ms"),
]  # fmt: skip

# Blocks of inner qdiscs below `rate 50mbit burst 16k latency 50ms`, and tc's words for each.
INNER = [
    ("bfifo", "", "limit 328884"),
    ("bfifo { limit 64KiB }", "", "limit 64k"),
    ("pfifo", "", "limit 218"),
    ("pfifo { limit 77 }", "", "limit 77"),
    ("sfq", "", "limit 218"),
    ("sfq { limit 1488 }", "", "limit 1488"),
    ("sfq { limit 300; perturb 10s; quantum 3000B; divisor 512; flows 64; depth 100; headdrop }",
     "", "limit 300 perturb 10 quantum 3000 divisor 512 flows 64 depth 100 headdrop"),
    ("fq_codel", "", "limit 218"),
    ("fq_codel { limit 500; flows 64; quantum 300B; target 2ms; interval 20ms; noecn; "
     "memory_limit 4MiB; drop_batch 32 }", "",
     "limit 500 flows 64 quantum 300 target 2ms interval 20ms noecn memory_limit 4Mb "
     "drop_batch 32"),
    ("fq_codel { ce_threshold 1ms; ecn }", "", "limit 218 ce_threshold 1ms ecn"),
    ("fq_codel", "rtt 30ms; memory 1MiB; fairness per-flow",
     "limit 218 interval 30ms target 1500us memory_limit 1Mb"),
    ("cake { diffserv4; dual-srchost; nat }", "", "diffserv4 dual-srchost nat"),
    ("cake", "tiers diffserv8; fairness per-host; ack-filter on; dscp wash; gso keep",
     "diffserv8 dual-srchost ack-filter wash no-split-gso"),
]  # fmt: skip


def random_settings(random: Random) -> TbfSettings:
    """Return settings from all that tc can say and the kernel takes."""
    rate = random.choice([1_000, 125_000, 2**32 - 1, 2**32, random.randrange(1_000, 2**37)])
    mtu, peak = 0, 0
    if random.random() < 0.4:
        peak, mtu = random.randrange(rate + 1, 2 * rate + 2), random.randrange(600, 100_000)
    # tc refuses what takes longer than 32 bits of ticks, 274 s.
    burst = random.randrange(600, min(2**31, 200 * rate))
    return TbfSettings(
        rate=rate,
        limit=random.choice([1, 2**32 - 1, random.randrange(1, 2**32)]),
        burst=burst,
        peak=peak,
        mtu=min(mtu, 200 * peak),
        overhead=random.choice([0, 0, random.randrange(500)]),
        mpu=random.choice([0, 0, random.randrange(2**8)]),
        linklayer=random.choice([1, 1, 2]),
        inner=random_inner(random),
    )


def random_inner(random: Random) -> Child | None:
    """Return an inner qdisc of any kind, or none."""
    kind = random.choice([None, "bfifo", "pfifo", "sfq", "fq_codel", "cake"])
    if kind is None:
        return None
    interval = random.randrange(1, 10**7)
    some = random.randrange(2, 10**6)
    settings = {
        "bfifo": BfifoSettings(some),
        "pfifo": PfifoSettings(some),
        "sfq": SfqSettings(
            limit=some,
            perturb=random.randrange(0, 100),
            quantum=random.randrange(256, 2**20),
            divisor=2 ** random.randrange(1, 17),
            flows=random.randrange(1, 70_000),
            depth=random.randrange(1, 200),
            headdrop=random.random() < 0.5,
        ),
        "fq_codel": FqCodelSettings(
            limit=some,
            flows=random.randrange(1, 5000),
            quantum=random.randrange(256, 2**20),
            target=random.randrange(0, 10**6),
            interval=interval,
            ecn=random.random() < 0.5,
            ce_threshold=random.choice([None, random.randrange(1, 10**6)]),
            drop_batch=random.randrange(1, 1000),
            memory_limit=random.randrange(1, 2**31),
        ),
        "cake": CakeSettings(diffserv=random.randrange(5), nat=random.random() < 0.5),
    }
    return Child(1, kind, settings[kind])
