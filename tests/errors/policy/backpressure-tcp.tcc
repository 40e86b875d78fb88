link wan {
    device "eth0"
    egress { backpressure tcp }
}
