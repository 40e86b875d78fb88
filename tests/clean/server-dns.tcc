link anycast {
    device  "eth1"
    framing ethernet
    role    host
    egress  { bandwidth 90mbit; tiers diffserv4 }
}

tier answers as voice { match udp local port 53; match tcp local port 53, 853 }
