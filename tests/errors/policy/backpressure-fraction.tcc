link wan {
    device "eth0"
    egress { backpressure udp { senders 1.5 } }
}
