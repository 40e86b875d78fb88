# mwan3 marks packets with 0x3f00; the low byte is ours.
link first {
    device  "wan"
    framing ethernet
    role    router
    egress  { bandwidth 95mbit; mark mask 0xff; tiers diffserv4 }
    ingress { bandwidth 95mbit; tiers diffserv4 }
}

link second {
    device  "wanb"
    framing docsis
    role    router
    egress  { bandwidth 19mbit; mark mask 0xff; tiers diffserv4 }
    ingress { bandwidth 380mbit; tiers diffserv4 }
}
