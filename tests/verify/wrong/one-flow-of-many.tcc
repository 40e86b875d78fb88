# Shares are of flows, so a host with many takes nearly all.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 20mbit; tiers besteffort; fairness per-flow; rtt 100ms }
}

workload crowd { tcp upload 8 flows from 1 host; tcp upload 1 flow from 1 host }

objective "one busy host leaves the others their share" {
    under   crowd for 6s rtt 20ms
    require egress host fairness >= 0.9
}
