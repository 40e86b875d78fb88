link wan {
    device "eth0"
    10mbit bandwidth
    rtt 5ms
    = 5
}
