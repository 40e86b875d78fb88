# A hotel: many guests behind NAT, none of whom may crowd out the others.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress {
        bandwidth  47mbit
        tiers      diffserv3
        fairness   per-host
        dscp       wash
        ack-filter on
    }
    ingress {
        bandwidth 235mbit
        tiers     besteffort
        fairness  per-host
        memory    16MiB
    }
}

workload guests { tcp download 40 flows from 20 hosts; ping dscp cs0 }

objective "guests share" {
    under   guests for 20s rtt 30ms
    require ingress host fairness >= 0.9
    require ingress utilisation >= 90%
}
