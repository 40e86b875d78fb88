link wan {
    device "eth0"
    egress { backpressure udp { sender 16 } }
}
