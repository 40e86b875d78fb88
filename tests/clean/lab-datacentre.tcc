link fabric {
    device  "ens2"
    framing ethernet
    role    host
    rtt     datacentre
    egress  { bandwidth 24gbit; tiers besteffort; gso keep; qdisc cake_mq }
}

objective "short" {
    under   tcp_nup 16 flows for 2s rtt 200us
    require ping latency median <= 2ms
}
