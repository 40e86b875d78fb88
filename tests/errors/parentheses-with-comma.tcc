link wan {
    device "eth0"
    bandwidth (10mbit, 5mbit)
}
