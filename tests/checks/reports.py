"""Mistakes that people reported of other tools, and what becomes of each here.

The rows are 121 public reports about tc, sqm, wondershaper, tcconfig, systemd-networkd, VyOS and
others, by a letter for the kind (U units, B bursts, O overhead, M multi-queue, P placement, D
isolation and marks, L life cycle) and a number; N are reports that came later, of any kind.

`FOUND`: the shortest policy with the mistake, and the code that lint gives. `MADE_IMPOSSIBLE`:
what of the language leaves no way to write it; where there is a nearest attempt, the policy and
the code that it gets. `OFF_THE_TEXT`: at which stage, with a host, the rest is to be caught.
"""

from typing import NamedTuple

from tcc.facts import DeviceFacts, Facts
from tests.checks.policies import ROUTER, down, up, wan

SERVER = "framing ethernet; role host"


class Found(NamedTuple):
    """A mistake that lint finds."""

    policy: str
    code: str
    facts: Facts | None = None
    target: str | None = None


def tbf(options: str, rate: str) -> str:
    """Return a policy with a tbf."""
    return up(f"bandwidth {rate}; qdisc tbf {{ {options} }}", SERVER)


FOUND: dict[str, Found] = {
    "U1": Found(up("bandwidth 600Kbps"), "number-unit"),
    "U2": Found(up("bandwidth 1bps"), "number-unit"),
    "U3": Found(up("bandwidth 1Gbps"), "number-unit"),
    "U5": Found(up("bandwidth 3000000"), "missing-unit"),
    "U7": Found(up("bandwidth 0.001kbit"), "rate-below-byte"),
    "U11": Found(tbf("burst 5GiB; inner sfq", "1gbit"), "value-out-of-range"),
    "B1": Found(tbf("burst 62500B; inner sfq", "500kbit"), "tbf-burst-long"),
    "B3": Found(tbf("burst 2147483647B; inner sfq", "100mbit"), "tbf-burst-long"),
    "B5": Found(tbf("burst 5000B; inner sfq", "900mbit"), "tbf-burst-short"),
    "B6": Found(tbf("burst 1500B; inner sfq", "900mbit"), "tbf-burst-below-frame"),
    "B10": Found(tbf("latency 25ms", "50mbit"), "fifo-blocks-head"),
    "B15": Found(up("bandwidth 100mbit; gso keep"), "gso-blocks-line"),
    "O2": Found(up("bandwidth 9mbit; qdisc cake { overhead 40B }"), "qdisc-option-contradicts"),
    "O5": Found(up("bandwidth 9mbit", "framing ethernet; role router", "pppoe-wan"),
                "framing-not-of-line"),
    "O10": Found('link wan { device "eth0"; egress { bandwidth 9mbit } }', "line-undescribed"),
    "O12": Found(up("tiers diffserv3; bandwidth 9mbit; qdisc cake { besteffort }"),
                 "qdisc-option-contradicts"),
    "O14": Found(down("qdisc cake { autorate-ingress }", "framing pppoe-llcsnap; role router",
                      "wwan0"), "framing-not-of-line"),
    "M2": Found(up("bandwidth 2gbit; qdisc cake_mq"), "cake-mq-one-queue",
                Facts(devices=(DeviceFacts(name="eth0", tx_queues=1),))),
    "M7": Found(wan("bandwidth 92160kbit; egress { qdisc cake_mq }; ingress { qdisc cake }"),
                "cake-mq-below-need"),
    "P1": Found(up("bandwidth 9mbit", device="wan"), "device-missing",
                Facts(devices=(DeviceFacts(name="pppoe-wan"), DeviceFacts(name="eth1")))),
    "P8": Found(down("bandwidth 9mbit", device="enxa0cec812eb2b")
                + f'link b {{ device "enxa0cec812eb99"; {ROUTER}; ingress {{ bandwidth 9mbit }} }}',
                "ifb-name-collision", None, "openwrt"),
    "P9": Found(wan("egress { bandwidth 194560kbit }; ingress { bandwidth 25600kbit }"),
                "directions-swapped"),
    "P15": Found(down("bandwidth 50mbit", more='link vpn { device "eth0.5"; framing raw;'
                 " ingress { bandwidth 50mbit } }"), "device-inside-another"),
    "P16": Found(up("bandwidth 50mbit", more='link guests { device "eth0.5"; framing raw;'
                 " egress { bandwidth 5mbit } }"), "device-inside-another"),
    "P21": Found(up("bandwidth 9mbit", more='link again { device "eth0"; framing raw;'
                 " egress { bandwidth 8mbit } }"), "device-claimed-twice"),
    "D2": Found(up("bandwidth 9mbit; fairness dual-dsthost"), "fairness-turned"),
    "D4": Found(down("bandwidth 9mbit; mark mask 0xff"), "mark-mask-on-ingress"),
    "D5": Found(down("bandwidth 9mbit; qdisc cake { fwmark 0xff }"), "mark-mask-on-ingress"),
    "D7": Found(up("bandwidth 9mbit; mark mask 0x0f", more='link b { device "eth1"; framing raw;'
                " egress { bandwidth 8mbit; mark mask 0xff } }"), "mark-masks-overlap"),
    "D12": Found(up("bandwidth 2mbit; qdisc cake { autorate-ingress }"), "cake-autorate-egress"),
    "D13": Found(down("bandwidth 50mbit; dscp wash", more='link lan { device "br-lan"; role router'
                 " facing hosts; framing raw; egress { bandwidth 90mbit; tiers diffserv4 } }"),
                 "wash-before-tiers"),
    "L7": Found(up("bandwidth 40mbit within 55mbit..30mbit"), "bounds-exclude-rate"),
    "L9": Found(up("bandwidth 9mbit", more=up("bandwidth 8mbit")), "duplicate-name"),
    "L10": Found(up("bandwidth 95%"), "dimension-mismatch"),
    "L19": Found(down("bandwidth 0bit"), "value-out-of-range"),
    "N1": Found(up("bandwidth unlimited; fairness per-host", "framing raw; role router", "wg0"),
                "unlimited-never-waits"),
    "N2": Found(up("bandwidth 35mbit; tiers diffserv4",
                   more="tier x as voice { match tcp remote port 80, 443, 8080, 8443 }"),
                "voice-tier-too-wide"),
    "N3": Found(up("bandwidth 35mbit; tiers diffserv4",
                   more="tier x as voice { match local address 10.0.0.2 udp local port 1024..65535 "
                   "} tier bulk { match udp local port 6881..6889 local address 10.0.0.2 }"),
                "tier-unreachable"),
    "N4": Found(up("bandwidth 60mbit within 5mbit..50mbit", "framing unknown; role router"),
                "bounds-exclude-rate"),
    "N5": Found(wan("bandwidth 20mbit; ack-filter on"), "ack-filter-on-download"),
    "N6": Found(up("bandwidth 2gbit; tiers besteffort; qdisc cake_mq"), "cake-mq-kernel",
                Facts(kernel="7.1.2", devices=(DeviceFacts(name="eth0", tx_queues=4),))),
    "N7": Found(tbf("burst 2KiB; limit 3000B; inner pfifo", "100mbit"), "tbf-queue-below-window"),
    "N8": Found(up("bandwidth 30mbps", SERVER), "number-unit"),
    "N9": Found(down("bandwidth 157500kbit", device="wg0"), "framing-not-of-line"),
    "N10": Found(up("bandwidth 5500kbit; qdisc cake { dual-srchost; nonat }",
                    "framing docsis; role router"), "fairness-behind-nat"),
    "N11": Found(down("bandwidth 200mbit; qdisc cake { ackfilter }"), "unknown-option"),
    "N12": Found(wan("egress { bandwidth 512kbit }; ingress { bandwidth 4096kbit }",
                     "framing raw; role router", "vboxnet0"), "role-not-of-device"),
    "N13": Found(wan("egress { bandwidth 90000kbit }; ingress { bandwidth 110000kbit }",
                     "framing pppoe-llcsnap; role router"), "atm-beyond-adsl"),
    "N14": Found(up("bandwidth 500kbit; qdisc tbf { latency 250ms; inner fq_codel }", SERVER),
                 "codel-target-below-packet"),
    "N15": Found(up("bandwidth 20mbit; qdisc tbf { inner fq_codel { target 100ms; interval 5ms } }",
                    "role router facing hosts", "ppp12"), "codel-target-above-interval"),
    "N16": Found(up("bandwidth 10mbit; qdisc tbf { burst 10kB; latency 5ms }", SERVER, "lo"),
                 "device-is-loopback"),
    "N17": Found(up("bandwidth unlimited; fairness per-host",
                    "framing { overhead 27B }; role router", "ppp0"), "unlimited-never-waits"),
    "N18": Found(up("bandwidth 18mbit; qdisc cake { pppoe-ptm; ether-vlan; noatm }", "role router"),
                 "cake-framing-twice"),
    "N19": Found(up("bandwidth 6gbit", more='link c { device "eth0.704"; framing raw;'
                    " egress { bandwidth 7gbit } }"), "device-inside-another"),
    "N20": Found(up("bandwidth 35mbit; tiers diffserv4",
                    more="tier voice { match protocol tcp }"), "voice-tier-too-wide"),
    "N21": Found(up("bandwidth 1M", SERVER), "number-unit"),
    "N22": Found(tbf("burst 32kbit; latency 400ms; inner sfq", "10mbit"), "dimension-mismatch"),
    "N23": Found(up("bandwidth 5gbit", SERVER), "bandwidth-above-device",
                 Facts(devices=(DeviceFacts(name="eth0", speed=1_000_000_000),))),
    "N24": Found(wan("egress { bandwidth 1mbit }; ingress { bandwidth 5mbit }",
                     "framing raw; role router", "wlan1-2"), "role-not-of-device"),
    "N25": Found(up("bandwidth 30kbit", SERVER, "eth1"), "bandwidth-implausible"),
    "N26": Found(tbf("burst 1696B; latency 300ms", "840kbit"), "fifo-blocks-head"),
    "N27": Found(up("bandwidth 0mbit", SERVER), "value-out-of-range"),
    "N28": Found(up("bandwidth 10mbit within ..", SERVER, "tun0"), "value-missing"),
    "N30": Found(wan("egress { bandwidth 100MB/s }; ingress { bandwidth 500mbit }", SERVER),
                 "rate-units-mixed"),
}  # fmt: skip


class Impossible(NamedTuple):
    """A mistake that the language leaves no room for."""

    because: str
    attempt: str = ""
    code: str = ""
    """What the nearest attempt gets; with none, the attempt is right and says it rightly."""


MADE_IMPOSSIBLE: dict[str, Impossible] = {
    "U4": Impossible("rates are exact fractions until the end: 512kbit is 512000 bit/s",
                     up("bandwidth 0.512mbit")),
    "N29": Impossible("a condition says what it takes; there is no `not`: tiers come in order",
                      up("bandwidth 35mbit; tiers diffserv4",
                         more="tier voice { match tcp remote port != 443 }"), "character-stray"),
    "U10": Impossible("every rate has a unit, and each unit one meaning", up("bandwidth 64kB/s")),
    "U13": Impossible("an overhead is a signed size",
                      up("bandwidth 9mbit", "framing { overhead -4B }; role router")),
    "B4": Impossible("an automatic burst is a frame and 1 ms of the rate",
                     tbf("inner sfq", "1gbit")),
    "B8": Impossible("durations are whole ns: half a millisecond is not rounded to 0",
                     tbf("latency 0.5ms; inner sfq", "500mbit")),
    "B9": Impossible("burst and limit are derived from the rate", tbf("inner fq_codel", "9mbit")),
    "B12": Impossible("a rate is shaped, never policed: there is no `police`",
                      up("bandwidth 4gbit; police 4gbit", SERVER), "unknown-clause"),
    "O3": Impossible("there is no size table beside `framing`",
                     up("bandwidth 9mbit; stab 40B"), "unknown-clause"),
    "O6": Impossible("an overhead is what the line adds to an IP packet, on every device",
                     up("bandwidth 900kbit", "framing { overhead 10B; cells atm }; role router")),
    "O9": Impossible("what a link says is that link's own",
                     up("bandwidth 9mbit",
                        more='link b { device "eth1"; role host; bandwidth 9mbit }')),
    "O11": Impossible("`framing` is a preset or numbers, never both in some order",
                      up("bandwidth 9mbit", "framing ethernet overhead 40B; role router"),
                      "unexpected-operand"),
    "O13": Impossible("`framing unknown` is the conservative guess, by name",
                      up("bandwidth 9mbit", "framing unknown; role router")),
    "P13": Impossible("what is redirected is every packet: no clause takes a protocol",
                      down("bandwidth 9mbit; protocol ip"), "unknown-clause"),
    "P18": Impossible("`ingress` of a device is always an ifb of its own",
                      wan("bandwidth 9mbit within 1mbit..20mbit", "framing raw; role router",
                          "usb0")),
    "P19": Impossible("a side is `local` or `remote`, whatever the direction",
                      up("bandwidth 9mbit", more="tier voice { match dst address 192.0.2.1 }"),
                      "unknown-value"),
    "P20": Impossible("plans and scripts are made from facts, not from devices that are there",
                      down("bandwidth 9mbit")),
    "D3": Impossible("NAT is the role's, the flow mode is `fairness`",
                     up("bandwidth 9mbit; fairness dual-srchost; ack-filter on")),
    "D9": Impossible("no clause takes text for nftables",
                     up('bandwidth 9mbit; nft "counter"'), "unknown-clause"),
    "D16": Impossible("a tier names a tin; there is no `flowid`",
                      up("bandwidth 9mbit; flowid 1"), "unknown-clause"),
    "L4": Impossible("what hangs in a tbf is written inside it", tbf("inner fq_codel", "9mbit")),
}  # fmt: skip

OFF_THE_TEXT: dict[str, str] = {
    "U14": "verify", "U15": "import", "B13": "simulation", "B14": "verify", "O1": "verify",
    "M4": "generate", "M5": "plan", "M6": "plan", "M8": "generate", "M9": "generate",
    "M10": "verify", "P2": "generate", "P4": "generate", "P6": "apply", "P11": "apply",
    "P12": "apply", "P24": "watch", "P25": "plan", "P26": "verify", "D8": "plan", "D10": "plan",
    "D11": "plan", "L1": "watch", "L3": "verify", "L5": "generate", "L6": "plan", "L8": "plan",
    "L12": "generate", "L14": "plan", "L15": "verify", "L20": "watch", "L22": "verify",
    "L23": "apply", "L24": "apply", "L25": "apply", "L26": "plan", "L27": "apply",
}  # fmt: skip

NUMBERS = {
    "U": (1, 2, 3, 4, 5, 7, 10, 11, 13, 14, 15),
    "B": (1, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15),
    "O": (1, 2, 3, 5, 6, 9, 10, 11, 12, 13, 14),
    "M": (2, 4, 5, 6, 7, 8, 9, 10),
    "P": (1, 2, 4, 6, 8, 9, 11, 12, 13, 15, 16, 18, 19, 20, 21, 24, 25, 26),
    "D": (2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 16),
    "L": (1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 19, 20, 22, 23, 24, 25, 26, 27),
    "N": tuple(range(1, 31)),
}
ALL = tuple(f"{kind}{number}" for kind, numbers in NUMBERS.items() for number in numbers)

IN_THE_TEXT = {
    "U": (1, 2, 3, 4, 5, 7, 10, 11, 13),
    "B": (1, 3, 4, 5, 6, 8, 9, 10, 12, 15),
    "O": (2, 3, 6, 9, 10, 12, 13, 14),
    "M": (7,),
    "P": (8, 13, 15, 18, 19, 20, 21),
    "D": (2, 4, 5, 9, 12, 13, 16),
    "L": (7, 9, 19),
    "N": (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, *range(12, 23), *range(24, 31)),
}
"""Rows whose mistake is in the text of a configuration, so that no host is needed to see it."""
OF_LINT = tuple(f"{kind}{number}" for kind, numbers in IN_THE_TEXT.items() for number in numbers)
