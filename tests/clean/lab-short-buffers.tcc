# Two ways to shape the same rate, for a comparison in namespaces.
link cake-side {
    device  "veth-c"
    framing raw
    role    bridge
    egress  { bandwidth 50mbit; rtt 20ms; tiers besteffort }
}

link tbf-side {
    device  "veth-t"
    framing raw
    role    bridge
    egress  { bandwidth 50mbit; qdisc tbf { burst auto; latency 20ms; inner fq_codel } }
}

objective "cake" {
    over    cake-side
    under   tcp_nup 8 flows for 20s rtt 20ms
    require ping induced-latency p99 <= 15ms
    require egress utilisation >= 90%
}

objective "tbf" {
    over    tbf-side
    under   tcp_nup 8 flows for 20s rtt 20ms
    require ping induced-latency p99 <= 30ms
}
