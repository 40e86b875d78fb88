link wan {
    device  "eth0"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}

tier voice { match dscp ef }

workload flood { udp upload 1 flow 20mbit total; udp upload 1 flow 8mbit total dscp ef as calls }

objective "voice gets more than its tin keeps" { under flood for 5s; require egress calls goodput >= 5mbit }
