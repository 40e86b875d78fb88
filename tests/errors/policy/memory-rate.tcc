link wan {
    device "eth0"
    egress { memory 4mbit }
}
