link wan {
    device "eth0"
    egress { bandwidth min(5mbit, 20ms) }
}
