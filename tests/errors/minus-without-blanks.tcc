link wan {
    device "eth0"
    bandwidth (sync) -up
    bandwidth min(a, b)- 2mbit
}
