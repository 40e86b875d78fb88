# Branches dial in; each gets its part of the hub's line.
link branches {
    device  "wg-branches"
    framing raw
    role    router facing hosts
    rtt     40ms
    egress  { bandwidth 180mbit; fairness per-host; tiers diffserv4 }
    ingress { bandwidth 180mbit; fairness per-host; tiers diffserv4 }
}

tier voice { match dscp ef }
