link wan {
    device "eth0"
    bandwidth 10mbit)
    ) rtt 5ms
}
