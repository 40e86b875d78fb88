# The provider's box is in front and routes: Ethernet to it, and NAT twice.
link wan {
    device  "eth0"
    framing docsis
    role    router
    egress  { bandwidth 46mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 420mbit; tiers diffserv4; fairness per-host }
}
