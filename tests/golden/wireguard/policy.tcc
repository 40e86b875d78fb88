# A WireGuard server for a few clients: each gets a fair share of the tunnel, whatever it does.
link clients {
    device  "wg0"
    framing raw  # the line below has its own framing
    role    router facing hosts
    egress  { bandwidth 80mbit; fairness per-host; tiers diffserv3 }
    ingress { bandwidth 30mbit; fairness per-host; tiers diffserv3 }
}
