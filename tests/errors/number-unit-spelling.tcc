link wan {
    device "eth0"
    rtt 50msec
    rtt 5sec
    memory 1500bytes
    rtt 5MS
    bandwidth 10mbits
}
