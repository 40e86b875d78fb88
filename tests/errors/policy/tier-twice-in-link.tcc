link wan {
    device "eth0"
    tier voice { match dscp ef }
    tier voice { match dscp cs5 }
}
