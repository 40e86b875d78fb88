link wan {
    device "eth0"
    bandwidth 100bps
    bandwidth 100Mbps
    bandwidth 100 kbps
}
