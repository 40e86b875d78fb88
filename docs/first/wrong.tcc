link wan {
    device  "pppoe-wan"
    framing pppoe-ptm
    role    router
    egress {
        bandwidth 38Mbps
        tiers     diffserv4
        fairness  per-hosts
        rtt       50
    }
}
