link wan {
    device "eth0"
    egress { device "eth0" }
}
