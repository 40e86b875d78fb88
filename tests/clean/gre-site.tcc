link tunnel {
    device  "gre1"
    framing { overhead 62B; mpu 84B }
    role    bridge
    egress  { bandwidth 45mbit; tiers diffserv4 }
}

tier voice { match dscp ef }
