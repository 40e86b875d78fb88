link wan {
    device "eth0"
    bandwidth 100mbit-2mbit
    bandwidth 95%-5%
}
