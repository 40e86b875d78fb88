link trunk {
    device  "eth0"
    framing ethernet + vlan
    role    router
    egress  { bandwidth 90mbit; tiers diffserv4; fairness per-host }
    tier    telephones as voice { match local subnet 10.0.20.0/24 }
    tier    cameras as bulk { match local subnet 10.0.30.0/24; match device "eth1.30" }
}
