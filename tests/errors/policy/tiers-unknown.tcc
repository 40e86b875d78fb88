link wan {
    device "eth0"
    egress { tiers diffserv5 }
}
