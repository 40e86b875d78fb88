link wan {
    device  "eth1"
    framing ethernet
    role    router
    egress  { bandwidth 285mbit; fairness per-host }
    ingress { bandwidth 285mbit; fairness per-host; dscp wash }
}
