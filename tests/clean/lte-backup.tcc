# Fibre, with a mobile modem for when the digger comes.
profile line {
    tiers    diffserv4
    fairness per-host
    role     router
}

link fibre : line {
    device  "eth0"
    framing ethernet + vlan
    egress  { bandwidth 95mbit }
    ingress { bandwidth 95mbit }
}

link mobile : line {
    device  "wwan0"
    framing unknown
    egress  { bandwidth 5mbit }
    ingress { bandwidth 20mbit }
}

tier voice  { match dscp ef; match udp remote port 5060..5061 }
tier backup as bulk { match local address 192.168.1.9 }
