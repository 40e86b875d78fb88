link wan {
    device          "eth0"
    framing         ethernet
    connection-mark dscp 0xff00 valid 0x10000
    egress  { bandwidth 18mbit }
    ingress { bandwidth 90mbit }
}
