param up   : rate = 48mbit
param down : rate = 240mbit

link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth up; tiers diffserv4; fairness per-host }
    ingress { bandwidth down; tiers diffserv4; fairness per-host }
}

tier telephones as voice { match local subnet 10.0.20.0/24; match dscp ef, cs5 }
tier meetings   as video { match udp remote port 3478..3481, 19302..19309; match dscp af4x }
tier backups    as bulk { match local address 10.0.9.2; match tcp remote port 873, 22000 }

objective "telephones" {
    under   voip 10 flows + tcp_nup 16 flows for 30s rtt 20ms
    require mos >= 4.2
}
