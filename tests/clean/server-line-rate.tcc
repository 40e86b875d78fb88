link nic {
    device "enp6s0"
    egress { bandwidth unlimited; tiers besteffort; gso split }
}

testbed desktop { nic 1gbit }

objective "quick pings" {
    on      desktop
    under   tcp_nup 4 flows for 60s rtt 1ms
    require egress goodput >= 930mbit
    require ping latency median <= 3ms
}
