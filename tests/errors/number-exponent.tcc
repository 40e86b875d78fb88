link wan {
    device "eth0"
    bandwidth 1e6
    bandwidth 1.5e3kbit
    bandwidth 1e-3mbit
    bandwidth 1e999
}
