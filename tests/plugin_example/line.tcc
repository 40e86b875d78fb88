# A policy for two qdiscs, one of which comes with another distribution.
link wan {
    device "eth0"
    egress  { bandwidth 10mbit; qdisc leaky { limit 40 } }
    ingress { bandwidth 50mbit; qdisc cake }
}

objective "the bucket is full" {
    under   tcp_nup for 5s rtt 20ms
    require egress utilisation >= 90%
}
