link wan {
    device  "eth0"
    framing ethernet
    role    router
    tiers   diffserv4
    egress  { bandwidth 100mbit }
}

tier voice { match dscp ef }
workload calls { udp upload 20 flows 1mbit each dscp ef; tcp upload 8 flows }

objective "twenty calls" {
    under   calls for 20s rtt 20ms
    require egress voice goodput >= 18mbit
}
