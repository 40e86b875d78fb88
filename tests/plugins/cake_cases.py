"""Every word of CAKE's options, and settings from its whole space."""

import json
from pathlib import Path
from random import Random

from tcc_plugins.cake import CakeSettings
from tcc_plugins.cake.settings import ACK_FILTERS, CELLS, DIFFSERV, FLOW_MODES, target_of

TABLES = json.loads((Path(__file__).parents[1] / "data/cake-tables.json").read_text())

MODES = [
    *TABLES["enums"]["diffserv"], "diffserv", *TABLES["enums"]["flow"], *TABLES["enums"]["atm"],
    *TABLES["enums"]["ack_filter"], "nat", "nonat", "wash", "nowash", "split-gso",
    "no-split-gso", "ingress", "egress", "unlimited",
]  # fmt: skip
PRESETS = [preset["keyword"] for preset in TABLES["rtt_presets"]]
FRAMINGS = [*TABLES["overhead_presets"]]

# Words of a policy's block, and tc's for the same.
VALUES = [
    ("bandwidth 100mbit", "bandwidth 100mbit"),
    ("bandwidth 8bit", "bandwidth 8bit"),
    ("bandwidth 9bit", "bandwidth 9bit"),
    ("bandwidth 1kibit", "bandwidth 1kibit"),
    ("bandwidth 1.5mbit", "bandwidth 1.5mbit"),
    ("bandwidth 1MB/s", "bandwidth 1mbps"),
    ("bandwidth 35gbit", "bandwidth 35gbit"),
    ("bandwidth 1tbit", "bandwidth 1tbit"),
    ("bandwidth 20mbit; autorate-ingress; ingress", "bandwidth 20mbit autorate-ingress ingress"),
    ("autorate-ingress; bandwidth 20mbit; ingress", "bandwidth 20mbit autorate-ingress ingress"),
    ("autorate-ingress; ingress", "autorate-ingress ingress"),
    ("rtt 20ms", "rtt 20ms"),
    ("rtt 19us", "rtt 19us"),
    ("rtt 1us", "rtt 1us"),
    ("rtt 4294s", "rtt 4294s"),
    ("memlimit 32MiB", "memlimit 32mb"),
    ("memlimit 10000B", "memlimit 10000"),
    ("memlimit 4294967295B", "memlimit 4294967295"),
    ("fwmark 0xff00", "fwmark 0xff00"),
    ("fwmark 0xffffffff", "fwmark 0xffffffff"),
    ("overhead 44B", "overhead 44"),
    ("overhead 0B", "overhead 0"),
    ("overhead 256B", "overhead 256"),
    ("overhead -64B", "overhead -64"),
    ("overhead -4B; mpu 64B; noatm", "overhead -4 mpu 64 noatm"),
    ("mpu 64B", "mpu 64"),
    ("mpu 256B; overhead 18B", "overhead 18 mpu 256"),
    ("raw; overhead 8B; atm", "raw atm overhead 8"),
    ("ethernet; ether-vlan", "ethernet ether-vlan"),
    ("pppoe-ptm; ether-vlan", "pppoe-ptm ether-vlan"),
    ("pppoe-llcsnap; via-ethernet", "pppoe-llcsnap via-ethernet"),
    ("bandwidth 95mbit; diffserv4; dual-srchost; nat; wash; ingress; ack-filter-aggressive; "
     "split-gso; rtt 50ms; ptm; overhead 30B; mpu 68B; memlimit 8MiB; fwmark 0xf",
     "bandwidth 95mbit diffserv4 dual-srchost nat wash ingress ack-filter-aggressive "
     "split-gso rtt 50ms ptm overhead 30 mpu 68 memlimit 8mb fwmark 0xf"),
]  # fmt: skip

WORDS = [(word, word) for word in (*MODES, *PRESETS, *FRAMINGS)] + VALUES


def random_settings(random: Random) -> CakeSettings:
    """Return settings from the whole space that tc can say: any value at each field's ends."""
    interval = random.choice([1, 19, 20, 100, 100_000, 2**32 - 1, random.randrange(1, 2**32)])
    rate = random.choice([0, 1, 64, 125_000, 2**32, 2**40, random.randrange(1, 2**40)])
    return CakeSettings(
        rate=rate,
        diffserv=random.randrange(len(DIFFSERV)),
        flow_mode=random.randrange(len(FLOW_MODES)),
        nat=random.random() < 0.5,
        wash=random.random() < 0.5,
        ingress=random.random() < 0.5,
        ack_filter=random.randrange(len(ACK_FILTERS)),
        split_gso=random.random() < 0.5,
        interval=interval,
        target=target_of(interval),
        raw=random.random() < 0.3,
        overhead=random.randint(-64, 256),
        atm=random.randrange(len(CELLS)),
        mpu=random.choice([0, random.randint(0, 256)]),
        memory=random.choice([0, 1, 2**32 - 1, random.randrange(2**32)]),
        fwmark=random.choice([0, 1, 0xFF00, 2**32 - 1, random.randrange(2**32)]),
        autorate=random.random() < 0.2,
    )
