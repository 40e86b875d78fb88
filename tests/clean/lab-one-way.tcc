# Only what is loaded is required.
link wan {
    device  "eth0"
    framing docsis
    role    router
    egress  { bandwidth 38mbit }
    ingress { bandwidth 380mbit }
}

objective "up" { under tcp_nup 8 flows for 20s rtt 20ms; require egress utilisation >= 90% }

objective "down" {
    under   tcp_ndown 8 flows for 20s rtt 20ms
    require ingress utilisation >= 90%
    require egress utilisation >= 1%
}
