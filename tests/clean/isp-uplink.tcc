link transit {
    device  "ens1f0"
    framing ethernet
    role    bridge
    egress  { bandwidth 9.8gbit; tiers besteffort; fairness per-flow; qdisc cake_mq }
}

testbed edge { nic 10gbit; cpus 16; queues 16 }

objective "the line is used" {
    on      edge
    under   tcp_nup 64 flows for 10s rtt 20ms
    require egress utilisation >= 90%
}
