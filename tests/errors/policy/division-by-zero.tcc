link wan {
    device "eth0"
    egress { bandwidth 5mbit / (3 - 3) }
}
