let line   = 480mbit
let pupils = 80% of line

link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth min(pupils, 300mbit); tiers diffserv4; fairness per-host }
    ingress { bandwidth 90% of line; tiers diffserv4; fairness per-host }
}

tier lessons as video { match remote subnet 198.51.100.0/24; match dscp af4x, cs4 }
tier exams   as voice { match local subnet 10.9.0.0/16; match dscp ef }
tier updates as bulk { match dscp cs1, le; match remote address 203.0.113.7 }

workload morning {
    tcp  download 200 flows from 60 hosts
    tcp  upload 20 flows from 20 hosts
    ping interval 10ms
}

objective "lessons go on" {
    under   morning for 30s rtt 25ms
    require ping induced-latency p99 <= 30ms
    require host fairness >= 0.8
}
