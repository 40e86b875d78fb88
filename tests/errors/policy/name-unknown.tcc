link wan {
    device "eth0"
    egress { bandwidth sync_up }
}
