# A transparent bridge between modem and router.
link outside {
    device  "eth0"
    framing pppoe-ptm
    role    bridge
    egress  { bandwidth 37mbit; tiers diffserv4 }
}

link inside {
    device  "eth1"
    framing pppoe-ptm
    role    bridge facing hosts
    egress  { bandwidth 92mbit; tiers diffserv4 }
}
