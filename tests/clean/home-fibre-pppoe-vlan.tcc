# Fibre with PPPoE in VLAN 7: 38 + 8 + 4 bytes.
link wan {
    device  "ppp0"
    framing { overhead 50B; mpu 88B }
    role    router
    egress  { bandwidth 47mbit; tiers diffserv3 }
    ingress { bandwidth 235mbit; tiers diffserv3 }
}
