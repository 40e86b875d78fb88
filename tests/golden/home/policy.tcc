# A home router on a VDSL line: one file says what the household wants.
let sync_down = 100mbit
let sync_up   = 40mbit

link wan {
    device  "pppoe-wan"
    framing pppoe-ptm  # a preset; `tcc explain framing` lists them
    role    router     # masquerades: tell hosts apart before NAT

    egress {
        bandwidth  95% of sync_up
        tiers      diffserv4
        fairness   per-host
        rtt        50ms
        gso        split
        ack-filter on
    }
    ingress {
        bandwidth 90% of sync_down
        tiers     diffserv4
        fairness  per-host
        dscp      wash
    }
}

tier voice { match dscp ef; match udp remote port 3478..3481 }
tier bulk  { match tcp remote port 6881..6999 }

objective "calls survive a full line" {
    under   rrul for 20s rtt 40ms
    require egress utilisation >= 95%
    require ingress utilisation >= 90%
    require voice induced-latency p99 <= 10ms
    require voice loss <= 0.1%
}

workload crowd { tcp upload 16 flows from 1 host; tcp upload 1 flow from 1 host }

objective "one busy host leaves the others their share" {
    under   crowd for 20s rtt 40ms
    require egress host fairness >= 0.95
}
