link wan {
    device "eth0"
    bandwidth (10mbit + 5mbit
    rtt min(5ms, 10ms
}
