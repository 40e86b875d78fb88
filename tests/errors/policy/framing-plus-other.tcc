link wan {
    device "eth0"
    framing ethernet + mpls
}
