link wan {
    device "eth0"
    bandwidth 100mbti
    rtt 5mss
    memory 4MIB2
}
