link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 45mbit; tiers diffserv4 }
}

tier games as voice {
    match udp local port 3074 local address 192.168.1.20
    match udp local port 3074 local address 2001:db8::20
}

tier web      as video { match tcp remote port 443; match udp remote port 443 }
tier torrents as bulk { match tcp local port 51413; match udp local port 51413 }
