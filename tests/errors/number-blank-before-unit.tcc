link wan {
    device "eth0"
    bandwidth 100 mbit
    rtt 50 ms
    bandwidth 95 % of sync_up
    rtt 50 msec
}
