link wan {
    device "eth0"
    egress { bandwidth 99999999tbit }
}
