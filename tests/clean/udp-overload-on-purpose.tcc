# A flood of twice the line is lost by half, and calls lose nothing.
link port {
    device  "eth0"
    framing ethernet
    role    host
    egress  { bandwidth 100mbit; tiers diffserv4 }
}

tier voice { match dscp ef }
workload flood { udp upload 4 flows 50mbit each as noise; voip 4 calls dscp ef as calls }

objective "calls are kept apart" {
    under   flood for 20s rtt 20ms
    require egress noise loss <= 60%
    require calls loss <= 1%
}
