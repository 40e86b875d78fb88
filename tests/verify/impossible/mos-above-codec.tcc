link wan {
    device  "eth0"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}

objective "better than the codec" { under voip; require mos >= 4.5 }
