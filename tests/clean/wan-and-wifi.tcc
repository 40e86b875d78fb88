# Marks from outside are kept, because the access point sorts by them.
link wan {
    device  "eth0"
    framing docsis
    role    router
    egress  { bandwidth 23mbit; tiers diffserv4; dscp wash; fairness per-host }
    ingress { bandwidth 230mbit; tiers diffserv4; dscp keep; fairness per-host }
}

link wifi {
    device  "br-lan"
    framing raw
    role    router facing hosts
    egress  { bandwidth 300mbit; tiers diffserv4; dscp keep }
}

tier voice { match dscp ef, va, cs6 }
