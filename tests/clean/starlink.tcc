# The rate moves; an autorate daemon follows it.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    rtt     60ms
    egress  { bandwidth 15mbit within 4mbit..25mbit; tiers diffserv3; fairness per-host }
    ingress { bandwidth 120mbit within 30mbit..250mbit; tiers diffserv3; fairness per-host }
}
