link sat {
    device  "eth0"
    framing ethernet
    role    router
    rtt     satellite
    egress  { bandwidth 3mbit; ack-filter on }
    ingress { bandwidth 25mbit }
}

objective "the bulk of it" {
    under   tcp_nup 4 flows for 60s rtt 600ms
    require egress utilisation >= 70%
}
