# The marks of the hosts are cleared as they come in, and sorted by as they leave.
link lan {
    device "br-lan"
    role   router facing hosts
    ingress { bandwidth 1gbit; dscp wash }
}

link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 2mbit; tiers diffserv4; fairness none }
}

tier voice { match dscp ef }

workload busy { tcp upload 4 flows; voip 1 call as call }

objective "calls have a tin of their own" {
    over    wan
    under   busy for 8s rtt 20ms
    require call induced-latency p95 <= 15ms
}
