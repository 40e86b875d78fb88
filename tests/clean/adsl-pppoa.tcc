# 8 down, 0.9 up: one packet takes 14 ms.
link wan {
    device  "ppp0"
    framing pppoa-vcmux
    role    router
    egress  { bandwidth 780kbit; tiers diffserv3; ack-filter aggressive; fairness per-host }
    ingress { bandwidth 6.8mbit; tiers diffserv3; fairness per-host }
}

objective "pings come through" {
    under   rrul for 30s rtt 60ms
    require ping induced-latency median <= 60ms
}
