link wan {
    device "eth0"
    egress { bandwidth 64KiB }
}
