link wan {
    device "eth0"
    bandwidth 1_000_000bit
}
