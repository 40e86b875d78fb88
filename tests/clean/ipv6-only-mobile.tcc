# 464XLAT: IPv4 is wrapped on the router itself.
link lte {
    device  "wwan0"
    framing raw
    role    bridge
    egress  { bandwidth 12mbit within 2mbit..50mbit; tiers diffserv3 }
    ingress { bandwidth 50mbit within 5mbit..200mbit; tiers diffserv3 }
}

tier voice { match dscp ef; match remote subnet 2001:db8:51::/48 }
