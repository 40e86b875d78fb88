# A family on VDSL, 100 down and 40 up.
let down = 100mbit
let up   = 40mbit

link wan {
    device  "pppoe-wan"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 92% of up; tiers diffserv4; fairness per-host; ack-filter on }
    ingress { bandwidth 88% of down; tiers diffserv4; fairness per-host }
}

tier calls     as voice { match dscp ef; match udp remote port 3478..3481, 8801..8810 }
tier downloads as bulk { match tcp remote port 6881..6999 }
