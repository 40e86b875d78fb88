link dsl {
    device  "pppoe-dsl"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 36mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 92mbit; tiers diffserv4; fairness per-host }
}

link cable {
    device  "eth3"
    framing docsis
    role    router
    egress  { bandwidth 46mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 920mbit; tiers diffserv4; fairness per-host }
}

tier voice { match dscp ef, cs5 }
