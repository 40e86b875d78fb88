# One flow, such as a tunnel, is one transmit queue and one processor, however many there are.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 2gbit; tiers besteffort; qdisc cake_mq }
}

testbed router { queues 4; cpus 4; host "ipq8074a" }
workload vpn { tcp upload 1 flow as tunnel }

objective "the tunnel gets the rate" {
    on      router
    under   vpn for 4s rtt 10ms
    require egress utilisation >= 90%
}
