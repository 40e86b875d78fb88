let up = 10mbps
link wan {
    device "eth0"
    egress { bandwidth 95% of up; tiers diffserv5 }
}
