# 384 kbit/s up, and a telephone that has to work all the same.
link wan {
    device  "ppp0"
    framing pppoe-vcmux
    role    router
    rtt     120ms
    egress  { bandwidth 340kbit; tiers diffserv4; ack-filter aggressive }
    ingress { bandwidth 2.6mbit; tiers diffserv4 }
}

tier phone as voice { match local address 192.168.1.20 }
tier bulk  { match tcp remote port 443 local subnet 192.168.1.64/26 }
