# 60 bytes of WireGuard and IPv4 around each packet, then Ethernet.
link tunnel {
    device  "wg0"
    framing { overhead 98B; mpu 84B }
    role    router
    egress  { bandwidth 36mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 90mbit; tiers diffserv4; fairness per-host }
}
