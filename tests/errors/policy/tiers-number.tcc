link wan {
    device "eth0"
    egress { tiers 4 }
}
