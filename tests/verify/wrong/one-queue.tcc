# All uploads go through one tunnel, so by one transmit queue; the others send acknowledgements.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 500mbit; tiers besteffort; qdisc cake_mq }
    ingress { bandwidth 500mbit; tiers besteffort; qdisc cake }
}

testbed router { queues 4 }

workload office { tcp upload 1 flow as tunnel; tcp download 16 flows }

objective "the tunnel gets the rate" {
    on      router
    under   office for 4s rtt 10ms
    require egress utilisation >= 90%
}
