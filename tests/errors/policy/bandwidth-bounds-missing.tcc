link wan {
    device "eth0"
    egress { bandwidth 5mbit within }
}
