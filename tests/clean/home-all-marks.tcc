# Marks of the applications are trusted; nothing else is sorted.
link wan {
    device  "eth0"
    framing docsis
    role    router
    egress  { bandwidth 30mbit; tiers diffserv8; fairness per-host }
    ingress { bandwidth 300mbit; tiers diffserv8; fairness per-host }
}
