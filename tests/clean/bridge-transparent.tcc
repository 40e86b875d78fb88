# A box in the line, between the modem and a router that masquerades.
link wan {
    device  "eth1"
    framing docsis
    role    bridge
    egress  { bandwidth 38mbit; tiers besteffort; fairness per-flow }
}

link lan {
    device  "eth0"
    framing docsis
    role    bridge facing hosts
    egress  { bandwidth 460mbit; tiers besteffort; fairness per-flow }
}
