link wan {
    device "eth0"
    bandwidth 95% of; rtt 5ms
    bandwidth 10mbit + * 5mbit
    bandwidth 10mbit ..; rtt lan
}
