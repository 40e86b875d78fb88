link straße {
    device "eth0"
    rtt λ
}
