# An 8 Gbit/s XGS-PON line on a router with eight queues.
link wan {
    device  "eth4"
    framing ethernet + vlan
    role    router
    egress  { bandwidth 7.6gbit; tiers diffserv4; qdisc cake_mq }
    ingress { bandwidth 7.6gbit; tiers besteffort }
}

tier voice { match dscp ef }
