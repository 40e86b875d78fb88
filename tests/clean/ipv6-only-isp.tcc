# DS-Lite: IPv4 goes through an IPv6 tunnel, which adds 40 bytes to each packet of it.
link wan {
    device  "pppoe-wan"
    framing pppoe-ptm + vlan
    role    bridge
    egress  { bandwidth 33mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 88mbit; tiers diffserv4; fairness per-host }
}

tier meetings as video { match udp remote port 3478..3481 remote subnet 2001:db8:fe::/48 }
tier backup   as bulk { match local address 2001:db8:1::9 tcp remote port 443 }
