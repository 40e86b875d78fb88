link wan {
    device "eth0"
    bandwidth 10k
    bandwidth 10M
    rtt 5m
}
