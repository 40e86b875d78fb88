# Everything goes through the tunnel, and the tunnel over IPv6: 40 + 8 + 16 + 16 bytes and Ethernet.
link vpn {
    device  "wg0"
    framing { overhead 118B; mpu 84B }
    role    router
    egress  { bandwidth 9mbit; fairness per-host; ack-filter on }
    ingress { bandwidth 45mbit; fairness per-host }
}
