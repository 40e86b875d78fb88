"""The words of the language: what each block accepts, with syntax, meaning and example.

The one table that the builder, completion, did-you-mean, `tcc explain` and the manual
read. What a clause does is written in `tcc.passes`; which words there are is written here.
"""

from typing import NamedTuple

from tcc import dscp


class Entry(NamedTuple):
    """One word of the language."""

    syntax: str
    summary: str
    example: str
    values: tuple[str, ...] = ()
    """Words that it takes where another value could stand; names of values avoid them."""


RTT_PRESETS: dict[str, tuple[int, int]] = {
    "datacentre": (100_000, 5_000),
    "lan": (1_000_000, 50_000),
    "metro": (10_000_000, 500_000),
    "regional": (30_000_000, 1_500_000),
    "internet": (100_000_000, 5_000_000),
    "oceanic": (300_000_000, 15_000_000),
    "satellite": (1_000_000_000, 50_000_000),
    "interplanetary": (1_000_000_000_000, 50_000_000_000),
}
"""CoDel interval and target in ns of each word that tc-cake(8) has for a round trip."""

FRAMINGS = (
    "raw", "unknown", "conservative", "ipoa-vcmux", "ipoa-llcsnap", "bridged-vcmux",
    "bridged-llcsnap", "pppoa-vcmux", "pppoa-llc", "pppoe-vcmux", "pppoe-llcsnap", "pppoe-ptm",
    "bridged-ptm", "ethernet", "docsis",
)  # fmt: skip
TIN_MODES = ("besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8")
WISHES = ("per-flow", "per-host", "per-source", "per-destination", "none")
FLOW_MODES = (
    "flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost",
    "triple-isolate",
)  # fmt: skip
TINS = ("bulk", "besteffort", "video", "voice", *(f"tin{number}" for number in range(8)))
DIRECTIONS = ("egress", "ingress")
METRICS: dict[str, str] = {
    "goodput": "payload delivered to the application, as a rate",
    "throughput": "packets delivered, IP headers included, as a rate",
    "utilisation": "shaped bytes, framing included, over the bandwidth",
    "latency": "the round trip of the probe; needs a statistic",
    "induced-latency": "the round trip of the probe minus that of the idle path; needs a statistic",
    "sojourn": "the time that packets wait in the queue; needs a statistic",
    "loss": "packets lost of those sent; of a tier: of its probes and UDP",
    "marks": "packets marked with ECN congestion experienced: a count, or a share",
    "mos": "the quality of voice calls, from 1 (bad) to 5 (excellent)",
    "fairness": "Jain's index of what flows, or hosts, get: 1 when all get the same",
}
STATISTICS = ("mean", "median", "p95", "p99", "p99.9", "max")
SUBJECTS = ("ping", "flow", "host")
CONGESTION_CONTROLS = ("cubic", "reno", "bbr")
PREDEFINED_WORKLOADS = ("rrul", "rrul_be", "tcp_nup", "tcp_ndown", "voip", "udp_flood")
PARAM_TYPES = ("rate", "size", "duration", "percent", "count", "device", "text")
PROTOCOLS: dict[str, int] = {
    "icmp": 1, "igmp": 2, "ipencap": 4, "tcp": 6, "udp": 17, "dccp": 33, "ipv6": 41, "gre": 47,
    "esp": 50, "ah": 51, "icmpv6": 58, "ospf": 89, "pim": 103, "vrrp": 112, "l2tp": 115,
    "sctp": 132, "udplite": 136,
}  # fmt: skip
"""IP protocol numbers (IANA) of the names that `protocol` takes."""

SHAPING: dict[str, Entry] = {
    "bandwidth": Entry(
        "bandwidth RATE | unlimited | RATE within MIN..MAX",
        "the rate to shape to; with bounds, one that an autorate daemon moves",
        "bandwidth 95% of sync_up",
        ("unlimited",),
    ),
    "tiers": Entry(
        "tiers besteffort|precedence|diffserv3|diffserv4|diffserv8",
        "how DSCP marks sort packets into tins",
        "tiers diffserv4",
        TIN_MODES,
    ),
    "fairness": Entry(
        "fairness per-flow|per-host|per-source|per-destination|none, or a flow mode of cake",
        "between whom the rate is shared",
        "fairness per-host",
        WISHES + FLOW_MODES,
    ),
    "rtt": Entry(
        "rtt DURATION | PRESET",
        "the round trip that the AQM is set for",
        "rtt 50ms",
        tuple(RTT_PRESETS),
    ),
    "ack-filter": Entry(
        "ack-filter off|on|aggressive",
        "drop TCP acknowledgements that later ones make redundant",
        "ack-filter on",
        ("off", "on", "aggressive"),
    ),
    "dscp": Entry(
        "dscp keep|wash",
        "leave DSCP marks in packets or clear them once they have been used",
        "dscp wash",
        ("keep", "wash"),
    ),
    "memory": Entry("memory SIZE", "the most memory that queued packets may take", "memory 4MiB"),
    "mark": Entry("mark mask NUMBER", "choose the tin by these bits of the packet mark",
                  "mark mask 0xff"),
    "gso": Entry(
        "gso split|keep|auto|split when bandwidth <= RATE|split above SIZE",
        "what happens to super-packets (default: split, as the kernel does)",
        "gso split when bandwidth <= 1gbit",
        ("split", "keep", "auto"),
    ),
    "qdisc": Entry(
        "qdisc auto|cake|cake_mq|tbf [{ OPTION ... }]",
        "the kind of qdisc, and its own options in tc's words",
        "qdisc tbf { burst 20KiB; latency 50ms; inner sfq }",
        ("auto", "cake", "cake_mq", "tbf"),
    ),
    "backpressure": Entry(
        "backpressure udp [{ interval DURATION; senders N; sndbuf SIZE }]",
        "senders on this machine wait instead of losing",
        "backpressure udp { senders 16 }",
    ),
}  # fmt: skip

LINK: dict[str, Entry] = {
    "device": Entry(
        'device "NAME" | device matching "PATTERN"',
        "the interface, or all whose names match",
        'device "eth0"',
    ),
    "framing": Entry(
        "framing PRESET [+ vlan]... | framing { overhead SIZE; mpu SIZE; cells none|atm|ptm }",
        "what the line adds to every packet",
        "framing pppoe-ptm + vlan",
        (*FRAMINGS, "vlan"),
    ),
    "role": Entry(
        "role router [facing hosts] | bridge [facing hosts] | host",
        "who is behind the device: `router` forwards for hosts, `host` has local sockets only",
        "role router",
        ("router", "bridge", "host"),
    ),
    "connection-mark": Entry(
        "connection-mark dscp MASK valid MASK",
        "the bits of a connection's mark in which tiers note a DSCP, and the one that says so",
        "connection-mark dscp 0x3f00 valid 0x4000",
    ),
    "egress": Entry(
        "egress { SHAPING }", "what happens to packets that leave", "egress { bandwidth 18mbit }"
    ),
    "ingress": Entry(
        "ingress { SHAPING }",
        "what happens to packets that arrive",
        "ingress { bandwidth 90mbit }",
    ),
    "tier": Entry(
        "tier NAME [as TIN] { match ...; match ... }",
        "which packets belong to which tin; the first tier in file order wins",
        "tier calls as voice { match dscp ef; match udp remote port 3478..3481 }",
    ),
    **SHAPING,
}

TOP: dict[str, Entry] = {
    "let": Entry("let NAME = VALUE", "give a value a name", "let sync_up = 40mbit"),
    "param": Entry(
        "param NAME : rate|size|duration|percent|count|device|text [= DEFAULT]",
        "a value that `--set` or `--vars` gives",
        "param up : rate = 18mbit",
    ),
    "include": Entry(
        'include "FILE.tcc"', "read another file here; relative to this one",
        'include "tiers.tcc"',
    ),
    "profile": Entry(
        "profile NAME { ... }", "clauses that links can take over: `link wan : NAME { ... }`",
        "profile office { tiers diffserv4 }",
    ),
    "link": Entry(
        "link NAME [: PROFILE] { device ...; SHAPING; egress { SHAPING }; ingress { SHAPING } }",
        "an interface and what its traffic gets",
        'link wan { device "eth0"; egress { bandwidth 18mbit } }',
    ),
    "tier": LINK["tier"],
    "workload": Entry(
        "workload NAME { tcp|udp upload|download N flows ...; voip N calls; ping ... }",
        "a named mix of traffic",
        "workload backup { tcp upload 4 flows }",
    ),
    "testbed": Entry(
        "testbed NAME { kernel PROFILE; host PROFILE; cpus N; queues N; nic RATE; ... }",
        "the machine and the path that a prediction assumes",
        "testbed router { cpus 4; queues 4 }",
    ),
    "objective": Entry(
        'objective "TEXT" { on TESTBED; over LINK; under WORKLOAD; require ... }',
        "what must come out, under which load",
        'objective "calls survive" { under rrul for 20s; require ping latency p99 <= 60ms }',
    ),
}  # fmt: skip

FRAMING: dict[str, Entry] = {
    "overhead": Entry("overhead SIZE", "bytes added to every packet", "overhead 44B"),
    "mpu": Entry("mpu SIZE", "the smallest packet on the line", "mpu 84B"),
    "cells": Entry("cells none|atm|ptm", "how the line cuts packets up", "cells atm",
                   ("none", "atm", "ptm")),
}  # fmt: skip

BACKPRESSURE: dict[str, Entry] = {
    "interval": Entry("interval DURATION", "how often a blocked sender looks again",
                      "interval 100ms"),
    "senders": Entry("senders N", "how many local senders to expect", "senders 16"),
    "sndbuf": Entry("sndbuf SIZE", "the send buffer of each", "sndbuf 212992B"),
}  # fmt: skip

TIER: dict[str, Entry] = {
    "match": Entry(
        "match dscp W | mark V[/MASK] | local|remote address|subnet A"
        " | udp|tcp [local|remote] port P[..Q] | protocol P | device \"NAME\" ...",
        "conditions that must all hold; commas mean any of",
        "match udp remote port 3478..3481",
    ),
}  # fmt: skip

CONDITIONS: dict[str, Entry] = {
    "dscp": Entry("dscp W, ...", "the packet's DSCP: a name or 0 to 63", "match dscp ef, cs5"),
    "mark": Entry("mark V[/MASK], ...", "the packet mark", "match mark 0x10/0xf0"),
    "local": Entry("local address|subnet A, ...", "the hosts' side of the link",
                   "match local subnet 10.0.9.0/24"),
    "remote": Entry("remote address|subnet A, ...", "the far side of the link",
                    "match remote address 192.0.2.1"),
    "udp": Entry("udp [local|remote] port P[..Q], ...", "UDP ports",
                 "match udp remote port 3478..3481"),
    "tcp": Entry("tcp [local|remote] port P[..Q], ...", "TCP ports", "match tcp port 873"),
    "protocol": Entry("protocol P, ...", "the IP protocol: a name or 0 to 255",
                      "match protocol icmp, icmpv6"),
    "device": Entry('device "NAME", ...', "the other interface of a forwarded packet",
                    'match device "br-guest"'),
}  # fmt: skip

WORKLOAD: dict[str, Entry] = {
    "tcp": Entry(
        "tcp upload|download N flows [RATE each|total] [payload SIZE] [dscp W] [cubic|reno|bbr]"
        " [ecn] [from N hosts] [rtt D] [after D] [as PART]",
        "TCP transfers",
        "tcp upload 16 flows from 1 host",
    ),
    "udp": Entry(
        "udp upload|download N flows [RATE each|total] [payload SIZE] [dscp W]"
        " [from N hosts] [rtt D] [after D] [as PART]",
        "UDP streams",
        "udp upload 16 flows 1gbit each payload 1470B",
    ),
    "voip": Entry("voip N calls [dscp W] [from N hosts] [rtt D] [after D] [as PART]",
                  "telephone calls, both ways", "voip 2 calls dscp ef"),
    "ping": Entry("ping [interval D] [dscp W] [rtt D] [after D] [as PART]",
                  "round trips of small probes", "ping interval 10ms"),
}  # fmt: skip

TESTBED: dict[str, Entry] = {
    "kernel": Entry("kernel PROFILE", "what the kernel's queueing costs", 'kernel "linux-7.3"'),
    "host": Entry("host PROFILE", "what the machine's CPUs cost", 'host "ipq8074a"'),
    "cpus": Entry("cpus N", "processors", "cpus 4"),
    "queues": Entry("queues N", "transmit queues", "queues 4"),
    "queue-map": Entry("queue-map hash|cpu", "how a packet finds its transmit queue",
                       "queue-map hash", ("hash", "cpu")),
    "nic": Entry("nic RATE", "the speed of the interface", "nic 1gbit"),
    "interrupt-interval": Entry("interrupt-interval DURATION", "the least time between interrupts",
                                "interrupt-interval 170us"),
    "bql": Entry("bql auto|max SIZE", "byte queue limits of the interface", "bql auto",
                 ("auto",)),
    "ring": Entry("ring N", "descriptors of the transmit ring", "ring 512"),
    "defer-limit": Entry("defer-limit N|none", "packets that may wait for the queue's lock",
                         "defer-limit none", ("none",)),
    "socket-backpressure": Entry("socket-backpressure none|rfc",
                                 "whether a full queue makes UDP sockets wait",
                                 "socket-backpressure rfc", ("none", "rfc")),
    "beyond": Entry("beyond RATE", "the rate of the network behind the link", "beyond 1gbit"),
    "loss": Entry("loss PERCENT", "packets lost beyond the link", "loss 0.1%"),
    "jitter": Entry("jitter DURATION", "variation of the delay beyond the link", "jitter 2ms"),
}  # fmt: skip

OBJECTIVE: dict[str, Entry] = {
    "on": Entry("on TESTBED", "the machine it is predicted for", "on router"),
    "over": Entry("over LINK", "the link; not needed when there is one", "over wan"),
    "under": Entry("under WORKLOAD [N flows] [from N hosts] [+ WORKLOAD ...] [for D] [rtt D]",
                   "the load", "under rrul for 20s rtt 40ms"),
    "require": Entry(
        "require [egress|ingress] [TIER|PART|WORKLOAD|ping|flow|host] METRIC [STAT] >=|<= VALUE",
        "what must hold; without a direction, both ways",
        "require voice induced-latency p99 <= 10ms",
    ),
}  # fmt: skip

BLOCKS: dict[str, dict[str, Entry]] = {
    "a policy": TOP,
    "a link": LINK,
    "a profile": LINK,
    "egress": SHAPING,
    "ingress": SHAPING,
    "framing": FRAMING,
    "backpressure": BACKPRESSURE,
    "a tier": TIER,
    "a workload": WORKLOAD,
    "a testbed": TESTBED,
    "an objective": OBJECTIVE,
}
"""What each kind of block accepts, by the words that messages call the block."""

DSCP_WORDS = (*dscp.NAMES, *dscp.GROUPS)

RESERVED_VALUES: frozenset[str] = frozenset(
    {value for block in BLOCKS.values() for entry in block.values() for value in entry.values}
    | set(DSCP_WORDS)
    | set(PROTOCOLS)
    | {"min", "max", "of", "prefer"}
)
"""Words that a `let` or `param` may not take: some clause accepts them as a value."""

RESERVED_SUBJECTS: frozenset[str] = frozenset({*DIRECTIONS, *SUBJECTS, *METRICS})
"""Words that a tier, a workload or a part may not take: `require` would be ambiguous."""


def places_of(word: str) -> list[str]:
    """Return the blocks that accept the clause `word`, as messages call them."""
    return [block for block, words in BLOCKS.items() if word in words]
