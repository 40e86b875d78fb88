link wan {
    device  "eth0"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}

objective "nearly all of it" { under tcp_nup; require egress goodput >= 9.9mbit }
