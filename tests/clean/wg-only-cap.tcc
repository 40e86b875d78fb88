# A hub gives each site 50 Mbit/s.
link north {
    device  "wg-north"
    framing { overhead 60B; mpu 84B }
    role    router facing hosts
    egress  { bandwidth 50mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}

link south {
    device  "wg-south"
    framing { overhead 80B; mpu 104B }
    role    router facing hosts
    egress  { bandwidth 50mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}
