link wan {
    device "eth0"
    bandwidth 12MBps
    bandwidth 12Mb/s
    bandwidth 100Mbit/s
}
