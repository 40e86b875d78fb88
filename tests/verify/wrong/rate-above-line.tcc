# The line carries 40mbit; shaped to 45mbit its own queue fills.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 45mbit; tiers besteffort }
}

testbed line { beyond 40mbit }

objective "a full upload does not delay" {
    on      line
    under   tcp_nup 4 flows for 6s rtt 20ms
    require ping induced-latency p95 <= 8ms
}
