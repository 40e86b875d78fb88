{
    device "eth0"
}
link wan { { rtt lan } }
