# The same rate with one queue for all, as a plain rate limit has it.
link wan {
    device "pppoe-wan"
    role   router
    egress {
        bandwidth 38mbit
        qdisc     tbf { burst auto; latency 100ms }
    }
}

objective "calls survive an upload" {
    under   tcp_nup 4 flows + voip for 10s rtt 40ms
    require egress utilisation >= 90%
    require egress ping induced-latency p99 <= 10ms
}
