# Annex M: 2.5 Mbit/s up at the price of the way down.
link wan {
    device  "pppoe-wan"
    framing pppoe-llcsnap
    role    router
    egress  { bandwidth 2.2mbit; tiers diffserv4; fairness per-host; ack-filter on }
    ingress { bandwidth 14mbit; tiers diffserv4; fairness per-host }
}

tier voice { match dscp ef; match udp remote port 5060..5061 }
