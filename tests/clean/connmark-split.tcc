link wan {
    device          "eth0"
    framing         ethernet
    role            router
    connection-mark dscp 0x3f000000 valid 0x40000000
    tiers           diffserv4
    fairness        per-host
    egress          { bandwidth 95mbit }
    ingress         { bandwidth 95mbit }
}

tier games  as voice { match local address 192.168.1.20 udp remote port 27000..27100 }
tier backup as bulk { match local address 192.168.1.5 tcp remote port 22, 873 }
