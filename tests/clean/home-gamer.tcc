# A console on a fixed address, and nobody else in the household notices.
let up   = 22mbit
let down = 240mbit

link wan {
    device  "eth0.2"
    framing docsis
    role    router
    egress  { bandwidth 90% of up; tiers diffserv4; fairness per-host; ack-filter on }
    ingress { bandwidth 90% of down; tiers diffserv4; fairness per-host; dscp wash }
}

tier console as voice {
    match local address 192.168.1.50 udp local port 3074
    match local address 192.168.1.50 udp remote port 27015..27030
}

tier updates as bulk { match local address 192.168.1.50 tcp remote port 80, 443 }
