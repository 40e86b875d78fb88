link wan {
    device "eth0"
    framing 44B
}
