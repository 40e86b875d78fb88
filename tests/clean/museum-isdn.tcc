# Two bonded B channels, kept as they were.
link isdn {
    device  "ippp0"
    framing raw
    role    router
    egress  { bandwidth 128kbit; tiers besteffort }
    ingress { bandwidth 128kbit; tiers besteffort }
}
