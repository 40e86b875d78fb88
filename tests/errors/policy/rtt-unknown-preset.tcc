link wan {
    device "eth0"
    egress { rtt regionl }
}
