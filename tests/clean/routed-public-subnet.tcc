# A /28 of public addresses behind the router; nothing is translated.
link wan {
    device  "eth0"
    framing ethernet
    role    bridge
    egress  { bandwidth 190mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 190mbit; tiers diffserv4; fairness per-host }
}

tier mail as bulk { match local address 203.0.113.20 tcp port 25 }
tier dns  as voice { match local address 203.0.113.21 udp local port 53 }
