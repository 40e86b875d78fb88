link wan {
    device "eth0"
    egress { dscp bleach }
}
