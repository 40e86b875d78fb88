link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 10mbit; qdisc cake }
    ingress { bandwidth 50mbit; qdisc cake; rtt 30ms }
}
