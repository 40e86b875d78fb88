# This host is a resolver, and answers come first.
link port {
    device  "eth0"
    framing ethernet
    role    host
    egress  { bandwidth 900mbit; tiers diffserv4 }
}

tier answers as voice { match local address 9.9.9.9 udp local port 53 }
