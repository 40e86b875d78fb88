# Runs on routers with and without cake.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress {
        bandwidth       9mbit
        prefer tiers    diffserv4
        prefer fairness per-host
        prefer ack-filter on
    }
}
