link wan {
    device  "eth0"
    framing ethernet
    role    bridge
    egress  { bandwidth 45mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 180mbit; tiers diffserv4; fairness per-host }
}

tier voice   { match dscp ef; match remote subnet 2001:db8:5::/48 udp port 5060 }
tier bulk    { match local subnet 2001:db8:0:9::/64 }
tier control as voice { match protocol icmpv6 local subnet 2001:db8::/64 }
