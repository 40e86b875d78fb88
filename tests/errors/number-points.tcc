link wan {
    device "eth0"
    bandwidth 1.2.3
    bandwidth .5mbit
    bandwidth 5.
}
