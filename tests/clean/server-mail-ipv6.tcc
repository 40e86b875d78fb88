# A mail server with IPv6 alone, capped by contract.
link uplink {
    device  "enp1s0"
    framing ethernet
    role    host
    egress  { bandwidth 95mbit; tiers diffserv4 }
    ingress { bandwidth 95mbit; tiers diffserv4 }
}

tier bulk  { match tcp local port 25 remote subnet 2001:db8:25::/48 }
tier video as video { match tcp local port 993 local address 2001:db8::25 }
