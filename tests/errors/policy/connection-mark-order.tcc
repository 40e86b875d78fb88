link wan {
    device          "eth0"
    framing         ethernet
    connection-mark valid 0x80 dscp 0x3f
    egress  { bandwidth 18mbit }
    ingress { bandwidth 90mbit }
}
