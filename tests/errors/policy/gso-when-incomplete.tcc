link wan {
    device "eth0"
    egress { gso split when bandwidth }
}
