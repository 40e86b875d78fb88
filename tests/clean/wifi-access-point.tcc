link ap {
    device  "phy1-ap0"
    framing raw
    role    bridge facing hosts
    egress  { bandwidth 150mbit; tiers diffserv4; dscp keep; fairness per-host }
}
