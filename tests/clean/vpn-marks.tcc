# Policy routing has the low byte of the mark, tiers the next one.
link wan {
    device  "wan"
    framing docsis
    role    router
    egress  { bandwidth 45mbit; tiers diffserv4; mark mask 0xff00 }
    ingress { bandwidth 440mbit; tiers diffserv4 }
}
