# Fixed wireless: a 5G modem behind Ethernet, in bridge mode.
link fwa {
    device  "eth0.7"
    framing unknown
    role    router
    rtt     60ms
    egress  { bandwidth 35mbit within 5mbit..60mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 180mbit within 20mbit..400mbit; tiers diffserv4; fairness per-host }
}

tier voice { match dscp ef; match udp local port 16384..16484 }
