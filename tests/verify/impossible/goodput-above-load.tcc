link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4 }
}

workload calls { udp upload 2 flows 1mbit each }

objective "more than is sent" { under calls for 5s; require egress goodput >= 3mbit }
