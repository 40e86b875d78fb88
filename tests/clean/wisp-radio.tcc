# A point-to-point radio: 60 Mbit/s half duplex, shaped on both sides of the router.
link radio {
    device    "eth1"
    framing   ethernet
    role      bridge
    rtt       30ms
    bandwidth 27mbit
    tiers     diffserv4
    fairness  per-host
    memory    2MiB
}

tier voice { match dscp ef, cs6 }
