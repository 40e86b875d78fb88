link wan {
    device "eth0"
    egress { gso keep when bandwidth <= 1gbit }
}
