objective "a" {
    require egress goodput > 940mbit
    require ping latency p99 < 1ms
    require egress goodput == 1gbit
    require egress loss => 1%
}
