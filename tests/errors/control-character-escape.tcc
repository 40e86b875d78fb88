link wan {  # [2K[1Ahidden
    device "eth0"
}
