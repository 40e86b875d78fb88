link wan {
    device "eth0"
    framing { overhead 44B; cells atn }
}
