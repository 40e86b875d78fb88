link wan {
    device "eth0"
    egress { rtt lan }
    egress { rtt lan }
}
