link wan {
    device "eth0"
    egress { rtt 500ns }
}
