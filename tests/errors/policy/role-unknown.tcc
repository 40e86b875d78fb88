link wan {
    device "eth0"
    role gateway
}
