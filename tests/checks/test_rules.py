"""Each check: what it finds and where, and what is as near to it as can be and right.

The numbers are worked out by hand, or come from the sources that the pages name.
"""

import pytest

from tcc.facts import DeviceFacts, Facts, QdiscFacts
from tests.checks.policies import codes, down, objective, pointed, up, wan

VDSL = "framing pppoe-ptm; role router"
HOSTS = "framing raw; role router facing hosts"
SERVER = "framing ethernet; role host"
TIERS = "bandwidth 50mbit; tiers diffserv4"
TWO = 'link lan {{ device "br-lan"; {}; egress {{ bandwidth 200mbit; {} }} }}'


def fast(device: str, speed: int) -> Facts:
    return Facts(devices=(DeviceFacts(name=device, speed=speed),))


FOUND = [
    # code, policy, the words it points at
    ("device-is-loopback", up("bandwidth 100mbit", SERVER, "lo"), '"lo"'),
    ("bandwidth-above-whole", "let sync = 40mbit\n" + up("bandwidth 110% of sync"),
     "110% of sync"),
    ("rate-units-mixed",
     wan("egress { bandwidth 100MB/s }; ingress { bandwidth 500mbit }", SERVER), "100MB/s"),
    ("rate-units-mixed", "let plan = 12MB/s\nlet most = 95% of plan\n"
     + wan("egress { bandwidth 40mbit }; ingress { bandwidth most }", SERVER), "most"),
    ("bounds-leave-no-room",
     down("bandwidth 20mbit within 20mbit..20mbit", "framing unknown; role router", "wwan0"),
     "20mbit within 20mbit..20mbit"),
    ("framing-guess-costly",
     wan("bandwidth 900mbit", "framing conservative; role router"), "conservative"),
    ("codel-target-below-packet",  # 1514 bytes take 24.2 ms at 500 kbit/s
     up("bandwidth 500kbit; qdisc tbf { latency 99ms; inner fq_codel { target 24ms } }", SERVER),
     "24ms"),
    ("codel-target-below-packet",  # 1514 bytes take 5.05 ms at 2.4 Mbit/s
     up("bandwidth 2.4mbit; qdisc tbf { latency 99ms; inner fq_codel }", SERVER), "fq_codel"),
    ("role-not-of-device", wan("bandwidth 5mbit", "framing raw; role router", "wlan1-2"),
     "router"),
    ("objective-fairness-of-one",
     up("bandwidth 50mbit; fairness per-host",
        more=objective("egress host fairness >= 0.9", "tcp_nup 4 flows for 9s")),
     "egress host fairness >= 0.9"),
    ("objective-fairness-of-one",  # parts that name no hosts are of the same one
     up("bandwidth 50mbit; fairness per-host",
        more="workload c { tcp upload 9 flows; tcp upload 1 flow 2mbit each }"
        + objective("egress host fairness >= 0.9", "c")), "egress host fairness >= 0.9"),
    ("objective-loss-below-overload",  # 200 Mbit/s through 100: half is lost
     up("bandwidth 100mbit", SERVER, more="workload f { udp upload 4 flows 50mbit each }"
        + objective("f loss <= 49%", "f")), "49%"),
    ("objective-loss-below-overload",
     up("bandwidth 100mbit", SERVER, more="workload f { udp upload 2 flows 150mbit total as x;"
        " tcp upload 1 flow }" + objective("x loss <= 1%", "f")), "1%"),
    ("objective-above-tin-share",
     up("bandwidth 100mbit; tiers diffserv4", more="tier voice { match dscp ef }"
        "workload c { udp upload 10 flows 10mbit each dscp ef; tcp upload 8 flows }"
        + objective("egress voice goodput >= 26mbit", "c")), "26mbit"),
    ("fifo-blocks-head",
     up("bandwidth 50mbit; qdisc tbf { latency 9ms; inner fq_codel { flows 4 } }", SERVER), "4"),
    ("tier-sides-swapped", up(TIERS, more="tier voice { match local address 8.8.8.8 }"),
     "8.8.8.8"),
    ("device-inside-another",
     up("bandwidth 37mbit", VDSL, "pppoe-wan", 'link c { device "wan.7"; framing bridged-ptm;'
        " role router; egress { bandwidth 38mbit } }"), '"pppoe-wan"'),
    ("atm-beyond-adsl",
     down("bandwidth 9mbit within 2mbit..60mbit", "framing pppoa-vcmux; role router"),
     "pppoa-vcmux"),
    ("autorate-on-fixed-line",
     wan("bandwidth 900mbit; ingress { qdisc cake { autorate-ingress } }"), "autorate-ingress"),
    ("role-not-of-device", wan("bandwidth 4mbit", device="vboxnet0"), "router"),
    ("link-shapes-nothing", 'link wan { device "eth0"; rtt 50ms }', "wan"),
    ("line-undescribed", 'link wan { device "eth0"; bandwidth 18mbit }', "wan"),
    ("line-undescribed", 'link wan { device "wan"; bandwidth 2mbit; qdisc cake }', "wan"),
    ("line-unshaped", up("tiers diffserv4", VDSL, "pppoe-wan"), "egress"),
    ("line-unshaped", down("bandwidth unlimited", "framing docsis; role router"), "unlimited"),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing ethernet; role router", "pppoe-wan"),
     "ethernet"),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing pppoe-llcsnap", "wwan0"),
     "pppoe-llcsnap"),
    ("framing-without-mpu", up("bandwidth 9mbit", "framing { overhead 18B }; role router"),
     "framing"),
    ("framing-without-mpu", up("bandwidth 9mbit", "framing { overhead 42B }; role router"),
     "framing"),
    ("atm-beyond-adsl", down("bandwidth 25mbit", "framing pppoa-vcmux; role router"),
     "pppoa-vcmux"),
    ("atm-beyond-adsl",
     down("bandwidth 50mbit", "framing { overhead 40B; cells atm }; role router"), "framing"),
    ("atm-beyond-adsl", up("bandwidth 6mbit", "framing pppoe-llcsnap; role router"),
     "pppoe-llcsnap"),
    ("bandwidth-implausible", up("bandwidth 63kbit"), "63kbit"),
    ("bandwidth-implausible",
     up("bandwidth 150kbit", "framing raw; role bridge facing hosts", "phy1-ap0"), "150kbit"),
    ("bandwidth-implausible", wan("egress { bandwidth 90kbit }; ingress { bandwidth 18mbit }"),
     "90kbit"),
    ("bandwidth-implausible", wan("egress { bandwidth 90gbit }; ingress { bandwidth 90mbit }"),
     "90mbit"),
    ("bandwidth-implausible", up("qdisc cake { bandwidth 20kbit }"), "20kbit"),
    ("directions-swapped", wan("egress { bandwidth 200mbit }; ingress { bandwidth 25mbit }"),
     "200mbit"),
    ("directions-swapped", wan("egress { bandwidth 40mbit }; ingress { bandwidth 20mbit }", VDSL),
     "40mbit"),
    ("directions-swapped",
     wan("egress { bandwidth 10mbit }; ingress { bandwidth 90mbit }", HOSTS), "90mbit"),
    ("directions-swapped",
     wan("egress { bandwidth 30mbit }; ingress { bandwidth 15mbit }", "framing raw; role router",
         "wwan0"), "30mbit"),
    ("cake-mq-below-need", up("bandwidth 250mbit; qdisc cake_mq"), "cake_mq"),
    ("gso-blocks-line", up("bandwidth 100mbit; gso keep"), "keep"),
    ("gso-blocks-line", up("bandwidth 50mbit; gso split when bandwidth <= 40mbit"),
     "split when bandwidth <= 40mbit"),
    ("gso-blocks-line", up("bandwidth 50mbit; qdisc cake { no-split-gso }"), "no-split-gso"),
    ("gso-blocks-line",  # 40 KiB take 6.5 ms at 50 Mbit/s
     up("bandwidth 50mbit; gso keep; qdisc tbf { burst 40KiB; inner sfq }", SERVER), "keep"),
    ("tbf-latency-below-packet",  # 1514 bytes take 60.6 ms at 200 kbit/s
     up("bandwidth 200kbit; qdisc tbf { latency 60ms; inner sfq }", SERVER), "60ms"),
    ("voice-tin-below-call",  # 50 packets of 98 bytes a second are 39200 bit/s, of 156800
     up("bandwidth 156kbit; tiers diffserv4", more="tier voice { match dscp ef }"), "156kbit"),
    ("fifo-blocks-head", up("bandwidth 50mbit; qdisc tbf { latency 25ms }", SERVER), "25ms"),
    ("fifo-blocks-head",
     up("bandwidth 50mbit; qdisc tbf { latency 20ms; inner bfifo { limit 1MiB } }", SERVER),
     "bfifo"),
    ("memory-below-bdp", up("bandwidth 1gbit; memory 4MiB"), "4MiB"),  # 12.5 MB in 100 ms
    ("memory-below-bdp", up("bandwidth 100mbit; rtt 300ms; memory 1MiB"), "1MiB"),  # 3.75 MB
    ("rtt-below-path", up("bandwidth 50mbit; rtt 4ms", more=objective("ping loss <= 1%")), "4ms"),
    ("rtt-below-path", up("bandwidth 50mbit; rtt lan", VDSL), "lan"),
    ("role-not-of-device", up("bandwidth 50mbit", device="br-lan"), "router"),
    ("role-not-of-device", up("bandwidth 50mbit", HOSTS, "pppoe-wan"), "router facing hosts"),
    ("role-not-of-device", up("bandwidth 50mbit", "framing raw; role bridge", "lan1"), "bridge"),
    ("fairness-without-role", up("bandwidth 50mbit; fairness per-host", "framing ethernet"),
     "per-host"),
    ("fairness-without-role", up("bandwidth 50mbit; fairness dual-srchost", "framing ethernet"),
     "dual-srchost"),
    ("fairness-turned", up("bandwidth 50mbit; fairness dual-dsthost"), "dual-dsthost"),
    ("fairness-turned", down("bandwidth 50mbit; fairness dual-srchost"), "dual-srchost"),
    ("fairness-turned", up("bandwidth 50mbit; fairness dual-srchost", SERVER), "dual-srchost"),
    ("fairness-turned", down("bandwidth 50mbit; fairness dual-dsthost", HOSTS), "dual-dsthost"),
    ("fairness-turned", up("bandwidth 50mbit; qdisc cake { dual-dsthost }"), "dual-dsthost"),
    ("fairness-behind-nat",
     up("bandwidth 50mbit; qdisc cake { nonat }",
        more="tier t as bulk { match local subnet 10.0.0.0/8 }"),
     "nonat"),
    ("nat-without-masquerade", up("bandwidth 50mbit; qdisc cake { nat }", SERVER), "nat"),
    ("nat-without-masquerade", up("bandwidth 50mbit; qdisc cake { nat }", "role bridge"), "nat"),
    ("direction-contradicts", down("bandwidth 50mbit; qdisc cake { egress }"), "egress"),
    ("direction-contradicts", up("bandwidth 50mbit; qdisc cake { ingress }"), "ingress"),
    ("autorate-on-fixed-line",
     down("bandwidth 50mbit; qdisc cake { autorate-ingress }", VDSL), "autorate-ingress"),
    ("ack-filter-on-download", down("bandwidth 50mbit; ack-filter on"), "on"),
    ("ack-filter-on-download", up("bandwidth 50mbit; ack-filter on", HOSTS), "on"),
    ("device-inside-another",
     wan("egress { bandwidth 50mbit }",
         more='link v { device "eth0.7"; framing raw; egress { bandwidth 5mbit } }'), '"eth0.7"'),
    ("device-inside-another",
     wan("egress { bandwidth 50mbit }",
         more='link v { device "eth0.7.3"; framing raw; egress { bandwidth 5mbit } }'),
     '"eth0.7.3"'),
    ("device-is-ifb", down("bandwidth 50mbit", device="ifb0"), '"ifb0"'),
    ("tier-unreachable",
     up(TIERS, more="tier voice { match dscp ef, cs5 } tier bulk { match dscp cs5 }"), "dscp cs5"),
    ("tier-unreachable",
     up(TIERS, more="tier voice { match dscp ef, cs5 } tier bulk { match dscp cs1, cs5 }"),
     "cs1, cs5"),
    ("tier-unreachable",
     up(TIERS, more="tier voice { match udp port 1..100; match udp port 101..200 }"
        "tier video { match udp local port 90..110 }"), "udp local port 90..110"),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match remote subnet 198.51.100.0/24 }"
        "tier voice { match remote address 198.51.100.7 dscp ef }"),
     "remote address 198.51.100.7 dscp ef"),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match protocol udp } tier voice { match udp port 53 }"),
     "udp port 53"),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match local address 2001:db8::7 dscp ef, cs5 }"
        "tier voice { match dscp cs5, ef local address 2001:db8::7 }"),
     "dscp cs5, ef local address 2001:db8::7"),
    ("tier-never-matches",
     up(TIERS, more="tier bulk { match local address 192.0.2.1 remote subnet 2001:db8::/32 }"),
     "local address 192.0.2.1 remote subnet 2001:db8::/32"),
    ("tier-never-matches",
     up(TIERS, more="tier bulk { match protocol icmp remote subnet 2001:db8::/32 }"),
     "protocol icmp remote subnet 2001:db8::/32"),
    ("tiers-without-tins",
     up("bandwidth 50mbit; tiers besteffort", more="tier voice { match dscp ef }"), "besteffort"),
    ("tier-moved-by-cake-mq",
     up("bandwidth 2gbit; tiers diffserv4; qdisc cake_mq", more="tier video { match dscp cs4 }"),
     "cake_mq"),
    ("wash-before-tiers",
     down("bandwidth 50mbit; dscp wash", more=TWO.format(HOSTS, "tiers diffserv4")), "wash"),
    ("wash-before-tiers",
     down("bandwidth 50mbit; qdisc cake { wash }", more=TWO.format(HOSTS, "tiers diffserv4")),
     "wash"),
    ("mark-mask-on-ingress", down("bandwidth 50mbit; mark mask 0xff"), "mask 0xff"),
    ("mark-mask-on-ingress", down("bandwidth 50mbit; qdisc cake { fwmark 0xff }"), "0xff"),
    ("mark-mask-without-tins", up("bandwidth 9mbit; tiers besteffort; mark mask 1"), "mask 1"),
    ("mark-masks-overlap",
     up("bandwidth 50mbit; mark mask 0x0f",
        more='link b { device "eth1"; framing raw; egress { bandwidth 9mbit; mark mask 0xff } }'),
     "mask 0xff"),
    ("mark-masks-overlap",
     up("bandwidth 50mbit; mark mask 0xff", more="tier voice { match mark 0x10/0xf0 }"),
     "0x10/0xf0"),
    ("objective-latency-below-path",
     up("bandwidth 50mbit", more=objective("ping latency median <= 39ms")), "39ms"),
    # 1538 B at 2 Mbit/s are 6.152 ms
    ("objective-latency-below-packet",
     up("bandwidth 2mbit", more=objective("egress ping induced-latency p99 <= 5ms")), "5ms"),
    ("objective-latency-below-packet",
     up("bandwidth 2mbit", more=objective("egress ping sojourn max <= 5ms", "tcp_nup for 9s")),
     "5ms"),
    ("objective-rate-above-line",
     up("bandwidth 50mbit", more=objective("egress goodput >= 50.1mbit")), "50.1mbit"),
    # 1460 of 1538 bytes: 47.46 Mbit/s
    ("objective-rate-above-line",
     up("bandwidth 50mbit", more=objective("egress goodput >= 47.5mbit")), "47.5mbit"),
    ("objective-rate-above-line",
     up("bandwidth unlimited", more="testbed t { nic 1gbit }"
        + objective("egress goodput >= 950mbit", on="on t;")), "950mbit"),
    ("objective-above-tin-share",
     up(TIERS, more="tier voice { match dscp ef }" + objective("egress voice goodput >= 12.6mbit")),
     "12.6mbit"),
    ("objective-without-bandwidth",
     up("bandwidth 50mbit", more=objective("ingress utilisation >= 90%")), "utilisation"),
    ("objective-mos-above-codec",
     up("bandwidth 50mbit", more=objective("mos >= 4.42", "voip + tcp_nup for 20s")), "4.42"),
    ("objective-samples-few",
     up("bandwidth 50mbit", more=objective("ping latency p99 <= 60ms", "tcp_nup for 9s rtt 9ms")),
     "ping latency p99 <= 60ms"),
    ("call-not-in-voice",
     up("bandwidth 9mbit",
        more="workload c { voip 1 call dscp af41 }" + objective("mos >= 4", "c")),
     "1 call dscp af41"),
    ("unused-name", "let a = 9mbit\n" + up("bandwidth 50mbit"), "a"),
    ("unused-name", "profile p { rtt 9ms }\n" + up("bandwidth 50mbit"), "p"),
    ("unused-name", up("bandwidth 50mbit", more="workload w { ping }\ntestbed t { cpus 2 }"), "w"),
    ("bandwidth-implausible", wan("bandwidth 901mbit", VDSL), "901mbit"),  # 1.8 in all, at most
    ("bandwidth-implausible", down("bandwidth 85000mbit", "framing docsis; role router"),
     "85000mbit"),
    ("bandwidth-implausible", up("bandwidth 51gbit"), "51gbit"),
    ("bandwidth-implausible", up("bandwidth 255kbit"), "255kbit"),
    ("bandwidth-implausible", up("bandwidth 21gbit", "framing raw; role bridge", "wwan0"),
     "21gbit"),
    ("bandwidth-implausible", up("bandwidth 2tbit", SERVER), "2tbit"),
    ("bandwidth-implausible",
     down("bandwidth 20mbit within 63kbit..50mbit", "framing unknown; role router"),
     "20mbit within 63kbit..50mbit"),
    ("unlimited-never-waits", up("bandwidth unlimited", "framing raw; role router", "wg0"),
     "unlimited"),
    ("unlimited-never-waits", up("tiers diffserv4", "framing raw; role router", "eth0.5"),
     "egress"),
    ("unlimited-never-waits", down("tiers diffserv4"), "ingress"),
    ("framing-not-of-line", up("bandwidth 9mbit", device="wg0"), "ethernet"),
    ("rtt-above-path", up("bandwidth 50mbit; rtt 3001ms"), "3001ms"),
    ("rtt-above-path", up("bandwidth 50mbit; rtt 1s", more=objective("ping loss <= 1%")), "1s"),
    ("rtt-above-path", up("bandwidth 50mbit; qdisc cake { interplanetary }"), "interplanetary"),
    ("voice-tier-too-wide", up(TIERS, more="tier x as voice { match tcp remote port 80, 443 }"),
     "tcp remote port 80, 443"),
    ("voice-tier-too-wide",
     up(TIERS, more="tier x as voice { match udp port 1024..65535 }"), "udp port 1024..65535"),
    ("voice-tier-too-wide", up(TIERS, more="tier voice { match dscp ef, cs0 }"), "dscp ef, cs0"),
    ("voice-tier-too-wide", up(TIERS, more="tier voice { match protocol udp }"), "protocol udp"),
    ("voice-tier-too-wide", up(TIERS, more="tier voice { match remote subnet 0.0.0.0/0 }"),
     "remote subnet 0.0.0.0/0"),
    ("tier-sides-swapped", up(TIERS, more="tier voice { match remote subnet 192.168.20.0/24 }"),
     "192.168.20.0/24"),
    ("tier-sides-swapped", up(TIERS, more="tier voice { match remote address fd00:1::7 }"),
     "fd00:1::7"),
    ("tier-never-matches", up(TIERS, more='tier bulk { match device "eth0" }'), 'device "eth0"'),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match local subnet 10.0.0.0/8 tcp remote port 80, 443 }"
        "tier video { match local address 10.1.2.3 tcp remote port 443 }"),
     "local address 10.1.2.3 tcp remote port 443"),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match mark 0x1/0x1 } tier voice { match mark 0x3/0x3 }"),
     "mark 0x3/0x3"),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match udp port 1000..2000 local address 10.0.0.1 }"
        "tier voice { match udp local port 1500 local address 10.0.0.1, 10.0.0.2 }"),
     "10.0.0.1, 10.0.0.2"),
    ("objective-fairness-above-mode",  # 17^2 / (2 (16^2 + 1)) = 0.562
     up("bandwidth 9mbit; fairness per-flow",
        more="workload c { tcp upload 16 flows from 1 host; tcp upload 1 flow from 1 host }"
        + objective("egress host fairness >= 0.57", "c")), "0.57"),
    ("objective-above-load",
     wan("bandwidth 9mbit", more=objective("utilisation >= 90%", "tcp_nup for 9s")), "90%"),
    ("objective-above-load",
     up("bandwidth 50mbit", SERVER, more="workload w { udp upload 2 flows 10mbit each }"
        + objective("egress goodput >= 22mbit", "w")), "22mbit"),
    ("tbf-queue-below-window",
     up("bandwidth 500mbit; qdisc tbf { inner sfq { limit 40 } }", SERVER), "40"),
    ("tbf-queue-below-window",  # 15139 bytes are 9 frames
     up("bandwidth 50mbit; qdisc tbf { burst 2KiB; limit 15139B; inner sfq }", SERVER), "15139B"),
    ("tbf-queue-below-window",  # 6250 and 2048 bytes
     up("bandwidth 50mbit; qdisc tbf { burst 2KiB; latency 1ms; inner sfq }", SERVER), "1ms"),
    ("codel-target-above-interval",
     up("bandwidth 9mbit; qdisc tbf { inner fq_codel { target 20ms; interval 60ms } }", SERVER),
     "20ms"),
    ("device-claimed-twice",
     'link all { device matching "eth2.*"; framing raw; egress { bandwidth 9mbit } }'
     'link one { device "eth2.7"; framing raw; egress { bandwidth 5mbit } }', '"eth2.7"'),
    ("cake-mq-one-queue", up("bandwidth 900mbit; qdisc cake_mq", VDSL, "pppoe-wan"), "cake_mq"),
    ("cake-mq-one-queue", up("bandwidth 2gbit; qdisc cake_mq", HOSTS, "wg0"), "cake_mq"),
    ("device-is-ifb", up("bandwidth 50mbit", "framing docsis; role router", "ifb4eth0"),
     '"ifb4eth0"'),
    ("role-not-of-device", up("bandwidth 50mbit", "role host", "pppoe-wan"), "host"),
    ("role-not-of-device", up("bandwidth 50mbit", device="docker0"), "router"),
    ("fairness-turned", down("bandwidth 50mbit; fairness per-source"), "per-source"),
    ("fairness-turned", up("bandwidth 50mbit; qdisc cake { srchost }", SERVER), "srchost"),
    ("fairness-behind-nat", up("bandwidth 50mbit; qdisc cake { nonat; dual-srchost }"), "nonat"),
    ("fairness-without-role", up("bandwidth 50mbit; qdisc cake { dual-srchost }",
                                 "framing docsis"), "dual-srchost"),
]  # fmt: skip

RIGHT = [
    ("device-is-loopback", up("bandwidth 100mbit", SERVER, "lo0")),
    ("bandwidth-above-whole",  # a plan, with room for headers
     "let plan = 40mbit\n" + up("bandwidth 115% of plan", HOSTS)),
    ("bandwidth-above-whole", "let sync = 40mbit\n" + up("bandwidth 100% of sync")),
    ("rate-units-mixed",
     wan("egress { bandwidth 5MB/s }; ingress { bandwidth 12.5MB/s }", SERVER)),
    ("rate-units-mixed",  # two lines, each in its own unit
     up("bandwidth 5MB/s", SERVER,
        more=f'link b {{ device "eth1"; {SERVER}; egress {{ bandwidth 9mbit }} }}')),
    ("bounds-leave-no-room",
     down("bandwidth 20mbit within 20mbit..21mbit", "framing unknown; role router", "wwan0")),
    ("framing-guess-costly", wan("bandwidth 190mbit", "framing unknown; role router")),
    ("framing-guess-costly",
     down("bandwidth 900mbit within 90mbit..2gbit", "framing unknown; role router")),
    ("codel-target-below-packet",
     up("bandwidth 2.43mbit; qdisc tbf { latency 99ms; inner fq_codel }", SERVER)),
    ("role-not-of-device", wan("bandwidth 5mbit", "framing raw; role router", "wlan1")),
    ("codel-target-below-packet",
     up("bandwidth 500kbit; qdisc tbf { latency 99ms; inner fq_codel { target 25ms } }", SERVER)),
    ("objective-fairness-of-one",
     up("bandwidth 50mbit; fairness per-host",
        more=objective("egress host fairness >= 0.9", "tcp_nup 4 flows from 2 hosts for 9s"))),
    ("objective-fairness-of-one",
     up("bandwidth 50mbit; fairness per-host",
        more="workload c { tcp upload 9 flows from 1 host; tcp upload 1 flow from 1 host }"
        + objective("egress host fairness >= 0.9", "c"))),
    ("objective-loss-below-overload",
     up("bandwidth 100mbit", SERVER, more="workload f { udp upload 4 flows 50mbit each }"
        + objective("f loss <= 51%", "f"))),
    ("objective-loss-below-overload",
     up("bandwidth 100mbit; qdisc tbf { inner fq_codel }; backpressure udp", SERVER,
        more="workload f { udp upload 4 flows 50mbit each }" + objective("f loss <= 1%", "f"))),
    ("objective-loss-below-overload",  # small and large datagrams: a share of packets
     up("bandwidth 100mbit", SERVER, more="workload f { udp upload 4 flows 50mbit each payload 99B;"
        " udp upload 4 flows 1mbit each }" + objective("f loss <= 1%", "f"))),
    ("objective-above-tin-share",
     up("bandwidth 100mbit; tiers diffserv4", more="tier voice { match dscp ef }"
        "workload c { udp upload 5 flows 10mbit each dscp ef; tcp upload 8 flows 10mbit each }"
        + objective("egress voice goodput >= 26mbit", "c"))),
    ("fifo-blocks-head",
     up("bandwidth 50mbit; qdisc tbf { latency 9ms; inner fq_codel { flows 8 } }", SERVER)),
    ("tier-sides-swapped", up(TIERS, more="tier voice { match remote address 8.8.8.8 }")),
    ("tier-sides-swapped", up(TIERS, HOSTS, more="tier voice { match local address 8.8.8.8 }")),
    ("device-inside-another",
     up("bandwidth 37mbit", VDSL, "pppoe-wan", 'link c { device "eth1"; framing ethernet;'
        " role router; egress { bandwidth 38mbit } }")),
    ("atm-beyond-adsl",
     down("bandwidth 9mbit within 2mbit..24mbit", "framing pppoa-vcmux; role router")),
    ("autorate-on-fixed-line",
     wan("egress { bandwidth 40mbit }; ingress { bandwidth 900mbit; qdisc cake"
         " { autorate-ingress } }")),
    ("bandwidth-implausible", wan("egress { bandwidth 840mbit }; ingress { bandwidth 960mbit }",
                                  VDSL)),
    ("bandwidth-implausible", up("bandwidth 10gbit", "framing docsis; role router")),
    ("bandwidth-implausible", up("bandwidth 50gbit")),
    ("bandwidth-implausible", up("bandwidth 1.6tbit", SERVER)),
    ("bandwidth-implausible", down("bandwidth 20mbit within 64kbit..50mbit")),
    ("unlimited-never-waits", up("bandwidth unlimited", SERVER)),
    ("unlimited-never-waits", down("qdisc cake { autorate-ingress }")),
    ("unlimited-never-waits", up("bandwidth 9mbit", "framing raw; role router", "wg0")),
    ("unlimited-never-waits", up("qdisc cake", "framing docsis; role router", "eth0.5")),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing { overhead 98B; mpu 84B }", "wg0")),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing raw", "wg0")),
    ("rtt-above-path", up("bandwidth 50mbit; rtt 3s")),
    ("rtt-above-path", up("bandwidth 50mbit; rtt satellite",
                          more=objective("ping loss <= 1%", "rrul for 9s rtt 101ms"))),
    ("voice-tier-too-wide", up(TIERS, more="tier web as video { match tcp remote port 443 }")),
    ("voice-tier-too-wide", up(TIERS, more="tier voice { match udp port 16384..32767 }")),
    ("voice-tier-too-wide", up(TIERS, more="tier voice { match tcp local port 443 }")),
    ("voice-tier-too-wide", up(TIERS, more="tier voice { match local subnet 10.0.20.0/24 }")),
    ("voice-tier-too-wide",
     up(TIERS, more="tier voice { match udp port 1..65535 local address 10.0.0.7 }")),
    ("tier-sides-swapped", up(TIERS, more="tier voice { match local subnet 192.168.20.0/24 }")),
    ("tier-sides-swapped", up(TIERS, more="tier voice { match remote subnet 10.0.0.0/8 }")),
    ("tier-sides-swapped",
     up(TIERS, "framing ethernet; role bridge",
        more="tier voice { match remote subnet 192.168.20.0/24 }")),
    ("tier-sides-swapped",
     up(TIERS, "framing raw; role router", "wg0",
        more="tier voice { match remote subnet 192.168.20.0/24 }")),
    ("tier-never-matches", up(TIERS, more='tier bulk { match device "br-guest" }')),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match mark 0x1/0x3 } tier voice { match mark 0x1/0x1 }")),
    ("tier-unreachable",
     up(TIERS, more="tier bulk { match local subnet 10.0.0.0/8 tcp port 80 }"
        "tier voice { match local subnet 10.0.0.0/8 udp port 80 }"
        "tier video { match tcp port 80 }")),
    ("objective-fairness-above-mode",
     up("bandwidth 9mbit; fairness per-flow",
        more="workload c { tcp upload 16 flows from 1 host; tcp upload 1 flow from 1 host }"
        + objective("egress host fairness >= 0.56", "c"))),
    ("objective-fairness-above-mode",
     up("bandwidth 9mbit; fairness per-host",
        more="workload c { tcp upload 16 flows from 1 host; tcp upload 1 flow from 1 host }"
        + objective("egress host fairness >= 0.95", "c"))),
    ("objective-above-load",
     wan("bandwidth 9mbit", more=objective("egress utilisation >= 90%", "tcp_nup for 9s"))),
    ("objective-above-load",
     up("bandwidth 50mbit", SERVER, more="workload w { udp upload 2 flows 10mbit each }"
        + objective("egress goodput >= 20mbit", "w"))),
    ("objective-above-load",
     up("bandwidth 50mbit", SERVER,
        more=objective("egress utilisation >= 99%", "udp_flood for 9s"))),
    ("tbf-queue-below-window",
     up("bandwidth 500mbit; qdisc tbf { inner sfq { limit 41 } }", SERVER)),
    ("tbf-queue-below-window",  # 1 ms of burst is room for a burst
     up("bandwidth 500mbit; qdisc tbf { latency 0.5ms; inner sfq }", SERVER)),
    ("tbf-queue-below-window",
     up("bandwidth 50mbit; qdisc tbf { burst 2KiB; limit 15140B; inner sfq }", SERVER)),
    ("tbf-queue-below-window",  # ten frames take 24 ms
     up("bandwidth 5mbit; qdisc tbf { inner sfq { limit 4 } }", SERVER)),
    ("codel-target-above-interval",
     up("bandwidth 9mbit; qdisc tbf { inner fq_codel { target 5ms; interval 60ms } }", SERVER)),
    ("device-claimed-twice",
     'link all { device matching "eth2.*"; framing raw; egress { bandwidth 9mbit } }'
     'link one { device "eth2.7"; framing raw; ingress { bandwidth 5mbit } }'),
    ("cake-mq-one-queue", up("bandwidth 2gbit; qdisc cake_mq")),
    ("fairness-turned", up("bandwidth 50mbit; fairness per-source")),
    ("fairness-turned", up("bandwidth 50mbit; fairness hosts", SERVER)),
    ("fairness-behind-nat", up("bandwidth 50mbit; fairness per-flow; qdisc cake { nonat }")),
    ("fairness-without-role", up("bandwidth 50mbit; qdisc cake { flows }", "framing docsis")),
    ("link-shapes-nothing", 'link wan { device "eth0"; framing raw; qdisc cake }'),
    ("line-undescribed", 'link wan { device "eth0"; framing raw; bandwidth 18mbit }'),
    ("line-undescribed", 'link wan { device "eth0"; role host; bandwidth 18mbit }'),
    ("line-undescribed", 'link lab { device "veth0"; bandwidth 18mbit }'),
    ("line-undescribed", 'link lan { device "eth0"; bandwidth unlimited }'),
    ("line-undescribed", 'link wan { device "eth0"; egress { bandwidth 9mbit; qdisc cake {'
     " overhead 38B; mpu 84B } } }"),
    ("line-undescribed", 'link wan { device "eth0"; egress { bandwidth 9mbit; qdisc tbf {'
     " inner sfq } } }"),
    ("line-unshaped", down("qdisc cake { autorate-ingress }", "framing docsis; role router")),
    ("line-unshaped", up("qdisc cake", "framing ethernet; role host")),
    ("line-unshaped", up("qdisc cake", "framing unknown; role router")),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing pppoa-vcmux; role router", "ppp0")),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing { overhead 46B; mpu 92B }", "ppp0")),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing unknown", "wwan0")),
    ("framing-not-of-line", up("bandwidth 9mbit", "framing ethernet", "wwan0")),
    ("framing-without-mpu", up("bandwidth 9mbit", "framing { overhead 18B; mpu 64B }")),
    ("framing-without-mpu", up("bandwidth 9mbit", "framing { overhead 38B; cells ptm }")),
    ("atm-beyond-adsl", down("bandwidth 24mbit", "framing pppoe-llcsnap; role router")),
    ("atm-beyond-adsl", down("bandwidth 90mbit", "framing unknown; role router")),
    ("atm-beyond-adsl",  # SHDSL of four pairs is as fast up as down
     wan("bandwidth 20mbit", "framing pppoa-vcmux; role router")),
    ("atm-beyond-adsl", up("bandwidth 3500kbit", "framing pppoe-llcsnap; role router")),
    ("bandwidth-implausible",
     up("bandwidth 1mbit", "framing raw; role bridge facing hosts", "phy1-ap0")),
    ("tbf-latency-below-packet",
     up("bandwidth 200kbit; qdisc tbf { latency 61ms; inner sfq }", SERVER)),
    ("voice-tin-below-call",
     up("bandwidth 157kbit; tiers diffserv4", more="tier voice { match dscp ef }")),
    ("voice-tin-below-call",
     up("bandwidth 90kbit; tiers diffserv4", more="tier bulk { match dscp cs1 }")),
    ("gso-blocks-line",
     up("bandwidth 50mbit; gso keep; qdisc tbf { burst 20KiB; inner sfq }", SERVER)),
    ("bandwidth-implausible", up("bandwidth 64kbit", SERVER)),
    ("bandwidth-implausible", up("bandwidth 256kbit")),
    ("bandwidth-implausible", up("bandwidth 128kbit", "framing pppoe-llcsnap; role router")),
    ("bandwidth-implausible", wan("egress { bandwidth 5mbit }; ingress { bandwidth 990mbit }")),
    ("directions-swapped", wan("egress { bandwidth 90mbit }; ingress { bandwidth 30mbit }")),
    ("directions-swapped", wan("egress { bandwidth 90mbit }; ingress { bandwidth 9mbit }", SERVER)),
    ("directions-swapped", wan("egress { bandwidth 90mbit }; ingress { bandwidth 9mbit }", HOSTS)),
    ("directions-swapped", wan("egress { bandwidth 19mbit }; ingress { bandwidth 10mbit }", VDSL)),
    ("cake-mq-below-need", up("bandwidth 1gbit; qdisc cake_mq")),
    ("gso-blocks-line", up("bandwidth 110mbit; gso keep")),  # 64 KiB take 4.8 ms
    ("gso-blocks-line", up("bandwidth 50mbit; gso auto")),
    ("fifo-blocks-head", up("bandwidth 50mbit; qdisc tbf { latency 50ms; inner sfq }", SERVER)),
    ("fifo-blocks-head", up("bandwidth 50mbit; qdisc tbf { latency 24ms }", SERVER)),
    ("fifo-blocks-head", up("bandwidth 50mbit; fairness per-flow; qdisc tbf", SERVER)),
    ("fifo-blocks-head", up("bandwidth 50mbit; qdisc tbf { inner pfifo { limit 100 } }", SERVER)),
    ("memory-below-bdp", up("bandwidth 1gbit; memory 13MiB")),
    ("memory-below-bdp", up("bandwidth 100mbit; rtt 30ms; memory 1MiB")),  # 375 kB
    ("rtt-below-path", up("bandwidth 50mbit; rtt 5ms", more=objective("ping loss <= 1%"))),
    ("rtt-below-path", up("bandwidth 50mbit; rtt lan")),
    ("role-not-of-device", up("bandwidth 50mbit", HOSTS, "br-lan")),
    ("role-not-of-device", up("bandwidth 50mbit", VDSL, "pppoe-wan")),
    ("fairness-without-role", up("bandwidth 50mbit; fairness per-flow", "framing ethernet")),
    ("fairness-without-role",
     up("bandwidth 50mbit; fairness per-host; qdisc cake { nat }", "framing ethernet")),
    ("fairness-turned", wan("bandwidth 50mbit; fairness per-host", SERVER)),
    ("fairness-turned", up("bandwidth 50mbit; fairness dual-dsthost", SERVER)),  # D2
    ("fairness-turned", up("bandwidth 50mbit; fairness dual-dsthost", HOSTS)),
    ("fairness-turned", wan("bandwidth 50mbit; fairness triple-isolate")),
    ("fairness-behind-nat", up("bandwidth 50mbit; qdisc cake { nonat }",
                               more="tier bulk { match local subnet 2001:db8::/32 }")),
    ("nat-without-masquerade", up("bandwidth 50mbit; qdisc cake { nat }")),
    ("direction-contradicts", up("bandwidth 50mbit; qdisc cake { ingress }", HOSTS)),
    ("direction-contradicts", down("bandwidth 50mbit; qdisc cake { ingress }")),
    ("autorate-on-fixed-line", down("bandwidth 50mbit; qdisc cake { autorate-ingress }")),
    ("ack-filter-on-download", up("bandwidth 50mbit; ack-filter on")),
    ("device-inside-another",
     wan("egress { bandwidth 50mbit }",
         more='link v { device "eth0.7"; framing raw; ingress { bandwidth 5mbit } }')),
    ("device-inside-another",
     wan("egress { qdisc cake }",
         more='link v { device "eth0.7"; framing raw; egress { bandwidth 5mbit } }')),
    ("device-is-ifb", up("bandwidth 50mbit", "framing raw", device="ifb0")),
    ("tier-unreachable", up(TIERS, more="tier voice { match udp port 3478 }"
                            "tier video { match udp port 3000..4000 }")),
    ("tier-unreachable", up(TIERS, more="tier voice { match udp remote port 3000..4000 }"
                            "tier video { match udp port 3478 }")),
    ("tier-unreachable", up(TIERS, more="tier voice { match udp port 53 }"
                            "tier bulk { match tcp port 53 }")),
    ("tier-unreachable", up(TIERS, more="tier voice { match dscp ef remote address 192.0.2.1 }"
                            "tier bulk { match dscp ef }")),
    ("tier-unreachable", up(TIERS, more="tier voice { match udp port 1..9; match udp port 11..19 }"
                            "tier bulk { match udp port 9..11 }")),
    ("tier-never-matches",
     up(TIERS, more="tier bulk { match local address 192.0.2.1, 2001:db8::1 protocol icmp }")),
    ("tiers-without-tins",
     wan("bandwidth 50mbit; egress { tiers besteffort }; ingress { tiers diffserv4 }",
         more="tier voice { match dscp ef }")),
    ("tiers-without-tins",
     up("bandwidth 50mbit; tiers besteffort",
        more=TWO.format(HOSTS, "tiers diffserv4") + "tier voice { match dscp ef }")),
    ("tier-moved-by-cake-mq",
     up("bandwidth 2gbit; tiers diffserv4; qdisc cake_mq", more="tier voice { match dscp cs4 }")),
    ("wash-before-tiers", down("bandwidth 50mbit; tiers diffserv4; dscp wash")),
    ("wash-before-tiers",
     down("bandwidth 50mbit; dscp wash", more=TWO.format(HOSTS, "tiers besteffort"))),
    ("mark-mask-on-ingress", up("bandwidth 50mbit; mark mask 0xff")),
    ("mark-mask-without-tins", up("bandwidth 50mbit; mark mask 0xff")),
    ("mark-masks-overlap",
     up("bandwidth 50mbit; mark mask 0xff", more="tier voice { match mark 0x100/0xf00 }")),
    ("objective-latency-below-path",
     up("bandwidth 50mbit", more=objective("ping latency median <= 40ms"))),
    ("objective-latency-below-packet",
     up("bandwidth 2mbit", more=objective("egress ping induced-latency p99 <= 6ms"))),
    ("objective-latency-below-packet",
     up("bandwidth 2mbit", more=objective("egress ping induced-latency median <= 5ms"))),
    ("objective-latency-below-packet",
     up("bandwidth 2mbit", more=objective("egress ping sojourn p99 <= 5ms", "tcp_ndown for 9s"))),
    ("objective-rate-above-line",
     up("bandwidth 50mbit", more=objective("egress goodput >= 47.4mbit"))),
    ("objective-rate-above-line",
     up("bandwidth 50mbit within 9mbit..90mbit", more=objective("egress goodput >= 60mbit"))),
    ("objective-above-tin-share",
     up(TIERS, more="tier voice { match dscp ef }" + objective("egress voice goodput >= 12mbit"))),
    ("objective-above-tin-share",
     up(TIERS, more="tier voice { match dscp ef }"
        + objective("egress voice goodput >= 20mbit", "tcp_nup for 9s"))),
    ("objective-without-bandwidth",
     up("bandwidth 50mbit", more=objective("egress utilisation >= 90%"))),
    ("objective-mos-above-codec",
     up("bandwidth 50mbit", more=objective("mos >= 4.4", "voip + tcp_nup for 20s"))),
    ("objective-samples-few",
     up("bandwidth 50mbit", more=objective("ping latency p99 <= 60ms", "tcp_nup for 10s rtt 9ms"))),
    ("call-not-in-voice",
     up("bandwidth 50mbit", more="workload c { voip 1 call dscp cs5 } tier voice { match dscp cs5 }"
        + objective("mos >= 4", "c"))),
    ("unused-name", "let a = 9mbit\nlet b = a * 2\n" + up("bandwidth b")),
    ("unused-name", "let a = 9mbit\n"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "policy", "words"), FOUND)
def test_found(code, policy, words):
    assert words in pointed(policy, code)


@pytest.mark.parametrize(("code", "policy"), RIGHT)
def test_right(code, policy):
    assert code not in codes(policy)


# What facts about the host add.

SIZED = QdiscFacts(kind="htb", handle="1:", parent="root", sized=True)
STACKED = Facts(
    devices=(DeviceFacts(name="lan1", master="br0"), DeviceFacts(name="br0"),
             DeviceFacts(name="macv0", lower="lan1"))
)  # fmt: skip


def test_faster_than_the_device():
    policy = up("bandwidth 1gbit")
    assert pointed(policy, "bandwidth-above-device", fast("eth0", 100_000_000)) == ["1gbit"]
    assert "bandwidth-above-device" not in codes(policy, fast("eth0", 1_000_000_000))
    assert "bandwidth-above-device" not in codes(policy, Facts(devices=(DeviceFacts(name="eth0"),)))


def test_size_table():
    facts = Facts(devices=(DeviceFacts(name="eth0", qdiscs=(SIZED,)),))
    assert pointed(up("bandwidth 9mbit"), "framing-counted-twice", facts) == ["ethernet"]
    assert "framing-counted-twice" not in codes(up("bandwidth 9mbit", "role host"), facts)


@pytest.mark.parametrize("upper", ["lan1", "macv0"])
def test_stacked(upper):
    policy = (
        'link a { device "br0"; framing raw; egress { bandwidth 90mbit } }'
        f'link b {{ device "{upper}"; framing raw; egress {{ bandwidth 9mbit }} }}'
    )
    assert pointed(policy, "device-inside-another", STACKED) == [f'"{upper}"']
    assert "device-inside-another" not in codes(policy)


def test_the_sysctl_that_keeps_cake_mq_straight():
    policy = up(
        "bandwidth 2gbit; tiers diffserv4; qdisc cake_mq", more="tier video { match dscp cs4 }"
    )
    name = "net.ipv4.ip_forward_update_priority"
    for value, expected in (("1", True), ("0", False)):
        facts = Facts(devices=(DeviceFacts(name="eth0", tx_queues=4),), sysctls={name: value})
        assert ("tier-moved-by-cake-mq" in codes(policy, facts)) is expected


def test_a_certain_excess_is_an_error_and_one_that_larger_packets_avoid_is_not():
    from tests.checks.policies import lint

    def severity(bound):
        policy = up("bandwidth 50mbit", more=objective(f"egress goodput >= {bound}"))
        return [str(i.severity) for i in lint(policy) if i.code == "objective-rate-above-line"]

    assert severity("50.1mbit") == ["error"]
    assert severity("48mbit") == ["warning"]


@pytest.mark.parametrize(
    ("release", "at_fault"),
    [("7.0.3", True), ("7.1-rc2", True), ("7.2.13", False), ("7.10", False), ("6.12.40", False),
     ("", False)],
)  # fmt: skip
def test_kernels_whose_cake_mq_is_at_fault(release, at_fault):
    facts = Facts(kernel=release, devices=(DeviceFacts(name="eth0", tx_queues=4),))
    policy = up("bandwidth 2gbit; tiers besteffort; qdisc cake_mq")
    assert ("cake-mq-kernel" in codes(policy, facts)) is at_fault
    assert "cake-mq-kernel" not in codes(up("bandwidth 2gbit; qdisc cake"), facts)


def test_a_factor_that_is_written_as_a_percentage():
    assert pointed("let a = 40mbit\n" + up("bandwidth 0.95% of a"), "share-implausible") == [
        "0.95%"
    ]
    assert codes("let a = 40mbit\n" + up("bandwidth 1% of a")) == set()
    lossy = "testbed t { loss 0.1% }" + objective("ping loss <= 0.5%", on="on t;")
    assert codes(up("bandwidth 9mbit", more=lossy)) == set()


# What the plugins of qdiscs find comes out too, without a host and without a target.


@pytest.mark.parametrize(
    ("code", "policy"),
    [
        ("tbf-burst-below-frame",
         up("bandwidth 50mbit; qdisc tbf { burst 1500B; inner sfq }", SERVER)),
        ("tier-without-tin", up("bandwidth 50mbit; tiers diffserv3",
                                more="tier video { match dscp cs4 }")),
        ("tier-without-tin", up("bandwidth 50mbit", more="tier x as tin5 { match dscp cs4 }")),
        ("cake-memory-below-packet", up("bandwidth 50mbit; memory 1000B")),
        ("cake-rate-below-pace", up("bandwidth 100bit")),
        ("cake-overhead-wraps", up("bandwidth 9mbit", "framing { overhead -30B }; role router")),
        ("gso-split-above", up("bandwidth 9mbit; gso split above 3000B")),
        ("backpressure-unavailable", up("bandwidth 9mbit; backpressure udp { senders 2 }")),
        ("device-claimed-twice", wan("bandwidth 9mbit")
         + 'link b { device "eth0"; framing raw; bandwidth 9mbit }'),
        ("cake-autorate-egress", up("bandwidth 9mbit; qdisc cake { autorate-ingress }")),
        ("cake-mq-ingress", down("bandwidth 2gbit; qdisc cake_mq")),
        ("cake-mq-fairness", up("bandwidth 2gbit; fairness per-host; qdisc cake_mq")),
        ("cake-mq-memory", up("bandwidth 2gbit; memory 32MiB; qdisc cake_mq")),
        ("tbf-ingress-uncharged", down("bandwidth 90mbit; qdisc tbf { inner fq_codel }")),
        ("tbf-burst-long", 'link w { device matching "wan*"; role host; egress { bandwidth 9mbit;'
         " qdisc tbf { burst 200KiB; inner sfq } } }"),
    ],
)  # fmt: skip
def test_plugins_are_asked(code, policy):
    assert code in codes(policy)


def test_a_pattern_is_no_finding():
    assert codes('link w { device matching "wan*"; framing raw; bandwidth 9mbit }') == set()


# Parameters without a value: what depends on them is passed over.

OPEN = """
param up : rate
param port : device
param way : duration
link wan {
    device port
    framing pppoe-ptm
    role router
    egress { bandwidth up; rtt way; qdisc tbf { inner fq_codel } }
    ingress { bandwidth up * 2 }
}
objective "o" { under rrul for 20s rtt 40ms; require utilisation >= 90% }
"""


def test_nothing_is_said_of_what_is_not_known():
    assert codes(OPEN) == set()
    given = {"up": "20kbit", "port": "br-lan", "way": "1ms"}
    found = codes(OPEN, values=given)
    assert {"bandwidth-implausible", "role-not-of-device", "qdisc-cannot-express"} <= found
