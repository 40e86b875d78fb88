link wan {
    device  "eth0"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}

objective "faster than light" { under tcp_nup for 5s rtt 30ms; require ping latency median <= 25ms }
