link wan {
    device "eth0"
    egress { bandwith 5mbit }
}
