link wan {
    device "eth0"
    bandwidth * 5mbit
    bandwidth , 5mbit
    rtt >= + 5ms
}
