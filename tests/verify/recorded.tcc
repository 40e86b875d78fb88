# Uploads with ECN and without, a call, and the acknowledgements of a download.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4; fairness per-host; ack-filter on }
    ingress { bandwidth 40mbit; tiers diffserv4; fairness per-host }
}

workload evening {
    tcp upload 2 flows ecn from 1 host
    tcp upload 2 flows from 1 host
    tcp download 1 flow
    voip 1 call as call
}

objective "calls get through" {
    under evening for 2s rtt 20ms
    require call loss <= 1%
}
