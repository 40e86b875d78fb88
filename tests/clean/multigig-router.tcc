link wan {
    device  "eth1"
    framing ethernet
    role    router
    egress  { bandwidth 2.3gbit; tiers diffserv4; qdisc cake_mq }
    ingress { bandwidth 2.3gbit; tiers diffserv4; qdisc cake }
}

tier voice { match dscp ef }
