link wan {
    device  "pppoe-wan"
    framing pppoe-llcsnap
    role    router
    rtt     80ms
    egress  { bandwidth 1mbit; ack-filter on }
    ingress { bandwidth 18mbit }
}
