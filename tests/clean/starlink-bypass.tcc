# A satellite dish in bypass mode; its rate changes every 15 s.
link dish {
    device  "eth4"
    framing ethernet
    role    router
    rtt     80ms
    egress  { bandwidth 12mbit within 4mbit..25mbit; fairness per-host }
    ingress { bandwidth 120mbit within 20mbit..300mbit; fairness per-host }
}
