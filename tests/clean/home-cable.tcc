link wan {
    device  "eth0"
    framing docsis
    role    router
    egress  { bandwidth 47mbit; tiers diffserv4; ack-filter on; fairness per-host }
    ingress { bandwidth 900mbit; tiers besteffort; fairness per-host; dscp wash }
}

tier voice { match dscp ef, cs5 }

objective "calls survive an upload" {
    under   tcp_nup 8 flows for 20s rtt 30ms
    require egress utilisation >= 95%
    require ping induced-latency p99 <= 20ms
}
