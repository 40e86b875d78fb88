link wan {
    device "eth0"
    bandwidth(10mbit)
}
