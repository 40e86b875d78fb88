# A 2.2 Gbit/s uplink on a 4-queue router: one core cannot shape it, cake_mq can.
link wan {
    device  "eth0"
    framing ethernet
    egress {
        bandwidth 2.2gbit
        tiers     diffserv4
        qdisc     cake_mq
    }
}

testbed router { queues 4; cpus 4; kernel "linux-7.3" }

objective "all queues together reach the rate" {
    on      router
    under   tcp_nup 32 flows for 10s rtt 5ms
    require egress utilisation >= 95%
    require ping induced-latency p99 <= 5ms
}
