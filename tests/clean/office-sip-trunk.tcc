# Forty telephones, a SIP trunk with a provider of its own address, and everybody else.
link wan {
    device  "eth1"
    framing ethernet
    role    router
    egress  { bandwidth 95mbit; tiers diffserv4; fairness per-host; dscp keep }
    ingress { bandwidth 95mbit; tiers diffserv4; fairness per-host }
}

tier signalling as voice { match remote subnet 198.51.100.32/29 udp port 5060..5061 }
tier media      as voice { match remote subnet 198.51.100.32/29 udp port 10000..20000 }
tier meetings   as video { match udp remote port 3478..3481, 8801..8810, 50000..50059 }

tier backup as bulk {
    match local address 10.20.0.5
    match tcp remote port 22 local subnet 10.20.9.0/24
}

workload day {
    voip 20 calls dscp ef from 20 hosts as calls
    tcp  upload 12 flows from 6 hosts
    ping interval 20ms
}

objective "calls get through" {
    under   day for 30s rtt 25ms
    require egress calls loss <= 1%
    require egress utilisation >= 90%
}
