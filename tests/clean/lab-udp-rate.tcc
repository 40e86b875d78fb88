# Cameras send what they send.
link uplink {
    device  "eth0"
    framing ethernet
    role    bridge
    egress  { bandwidth 100mbit; tiers diffserv4 }
}

tier cameras as video { match local subnet 10.5.0.0/24 }
workload cameras { udp upload 16 flows 4mbit each payload 1200B dscp af41 }

objective "cameras" {
    under   cameras + tcp_nup 4 flows for 20s rtt 10ms
    require egress goodput >= 80mbit
    require ping induced-latency p95 <= 10ms
}
