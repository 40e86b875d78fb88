link lte {
    device  "wwan0"
    framing raw
    role    router
    egress  { bandwidth 8mbit within 1mbit..20mbit; tiers diffserv3 }
    ingress { bandwidth 30mbit within 3mbit..90mbit; tiers diffserv3 }
}
