# The household's uploads, shaped.
link wan {
    device  "pppoe-wan"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 38mbit; tiers diffserv4; fairness per-host }
}

tier voice { match dscp ef }

objective "calls survive an upload" {
    under   tcp_nup 4 flows + voip for 10s rtt 40ms
    require egress utilisation >= 95%
    require voice induced-latency p99 <= 10ms
}
