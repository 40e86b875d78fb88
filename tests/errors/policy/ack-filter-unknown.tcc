link wan {
    device "eth0"
    egress { ack-filter maybe }
}
