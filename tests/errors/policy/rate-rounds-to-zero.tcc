link wan {
    device "eth0"
    egress { bandwidth 1bit / 3 }
}
