link radio {
    device  "radio0"
    framing raw
    role    router
    rtt     1s
    egress {
        bandwidth  48kbit  # tcc: allow bandwidth-implausible because it is a narrow radio channel
        ack-filter aggressive
    }
}
