# Two sites: the tunnel is shaped where its packets leave, inside the line's own rate.
link line {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 190mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 190mbit; tiers diffserv4; fairness per-host }
}

tier tunnel as video { match udp remote port 51820 remote address 192.0.2.77 }
