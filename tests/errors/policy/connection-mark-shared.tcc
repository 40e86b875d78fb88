link wan {
    device          "eth0"
    framing         ethernet
    connection-mark dscp 0x3f valid 0x20
    egress  { bandwidth 18mbit }
    ingress { bandwidth 90mbit }
}
