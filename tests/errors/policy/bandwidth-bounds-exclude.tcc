link wan {
    device "eth0"
    egress { bandwidth 50mbit within 2mbit..30mbit }
}
