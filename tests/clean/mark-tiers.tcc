# Tins by packet marks that a firewall sets.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 18mbit; tiers diffserv4; mark mask 0xff000000 }
}

tier vpn as voice { match mark 0x1; match mark 0x2/0xf }
