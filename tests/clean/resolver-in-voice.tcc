# DNS is small, and everything waits for it.
link wan {
    device   "eth0"
    framing  ethernet
    role     router
    tiers    diffserv4
    fairness per-host
    egress   { bandwidth 95mbit }
    ingress  { bandwidth 480mbit }
}

tier dns as voice {
    match udp remote port 53
    match remote address 1.1.1.1, 9.9.9.9 tcp remote port 853
}
