# Fixed wireless: one sector's access point, seen from the tower router.
link sector-north {
    device  "eth3"
    framing ethernet
    role    bridge facing hosts
    rtt     40ms
    egress  { bandwidth 140mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 45mbit; tiers diffserv4; fairness per-host }
}

tier voice { match dscp ef, cs6 }
