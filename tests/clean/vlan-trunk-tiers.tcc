# One trunk, three networks, told apart by the interface that a packet came from.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 230mbit; tiers diffserv4; fairness per-host }
}

tier phones  as voice { match device "br-voip" }
tier cameras as bulk { match device "br-iot", "eth1.40" }
