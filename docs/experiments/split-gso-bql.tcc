# Line-rate gigabit, four uploads: what whole super-packets do to the NIC's queue and a ping.
profile desktop {
    device "enp6s0"
    role   host
}

link split : desktop {
    egress { bandwidth unlimited; tiers besteffort; gso split }
}

link whole : desktop {
    device "enp7s0"
    egress { bandwidth unlimited; tiers besteffort; gso keep }
}

testbed nic    { nic 1gbit; interrupt-interval 170us; bql auto; ring 512 }
testbed capped { nic 1gbit; interrupt-interval 170us; bql max 16KB; ring 512 }

objective "split: a ping waits for two interrupts of frames" {
    on      nic
    over    split
    under   tcp_nup 4 flows for 10s rtt 0.52ms
    require egress goodput >= 940mbit
    require ping latency mean <= 0.84ms
}

objective "whole: a ping waits for super-packets" {
    on      nic
    over    whole
    under   tcp_nup 4 flows for 10s rtt 0.52ms
    require egress goodput >= 940mbit
    require ping latency mean >= 1.4ms
}

objective "a limit on the limit helps the ping, and starves the wire" {
    on      capped
    over    split
    under   tcp_nup 4 flows for 10s rtt 0.52ms
    require ping latency mean <= 0.7ms
    require egress goodput <= 935mbit
}
