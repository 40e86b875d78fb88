link wan {
    device "eth0"
    egress { bandwidth 5mbit of 6mbit }
}
