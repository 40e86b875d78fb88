link wan {
    bandwidth 100Mbps
    rtt 5 ms
}
