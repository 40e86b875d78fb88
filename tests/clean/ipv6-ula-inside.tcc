# Tiers by unique local addresses, on the hosts' side of course.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 45mbit; tiers diffserv4; fairness per-host }
}

tier printers as bulk { match local subnet fd00:1:2::/48; match local subnet 192.168.40.0/24 }
