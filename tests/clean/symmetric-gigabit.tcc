link wan {
    device    "wan"
    framing   ethernet
    role      router
    bandwidth 940mbit
    tiers     diffserv3
    fairness  per-host
    rtt       40ms
    memory    16MiB
}

objective "both ways" {
    under   rrul_be for 10s rtt 15ms
    require utilisation >= 90%
    require ping induced-latency p95 <= 10ms
}
