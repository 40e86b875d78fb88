link wan {
    device  "eth0"
    framing raw
    role    router
    egress  { bandwidth 50mbit; qdisc tbf { burst 1000B; latency 50ms; inner bfifo } }
}

objective "the rate is reached" {
    under   tcp_nup 4 flows for 4s rtt 20ms
    require egress utilisation >= 90%
}
