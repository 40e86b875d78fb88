link dish {
    device  "eth2"
    framing raw
    role    router
    rtt     50ms
    egress  { bandwidth 18mbit within 5mbit..40mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 150mbit within 30mbit..350mbit; tiers diffserv4; fairness per-host }
}

tier calls as voice { match dscp ef; match udp remote port 3478..3481, 19302..19309 }
