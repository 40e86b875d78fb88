# A VDSL line on OpenWrt: everything that sqm can be told, in both directions.
link wan-line {
    device  "pppoe-wan"
    framing pppoe-ptm + vlan
    role    router

    egress {
        bandwidth  18.5mbit
        tiers      diffserv4
        fairness   per-host
        rtt        50ms
        ack-filter on
        memory     4MiB
        mark mask  0xff
    }
    ingress {
        bandwidth 90.0005mbit
        tiers     diffserv4
        fairness  per-host
        dscp      wash
    }
}
