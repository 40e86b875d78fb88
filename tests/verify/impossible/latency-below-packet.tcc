link wan {
    device  "eth0"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}

objective "no packet in front" { under tcp_nup for 10s rtt 30ms; require ping latency p99 <= 30.5ms }
