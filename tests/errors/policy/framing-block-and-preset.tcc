link wan {
    device "eth0"
    framing ethernet { overhead 4B }
}
