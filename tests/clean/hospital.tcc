link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 475mbit; tiers diffserv4; fairness per-host }
    ingress { bandwidth 475mbit; tiers diffserv4; fairness per-host }
}

tier telemetry as voice { match local subnet 10.40.0.0/16 tcp remote port 2575; match dscp ef }
tier imaging   as video { match local subnet 10.41.0.0/16 tcp remote port 104, 11112 }
tier guests    as bulk { match local subnet 10.99.0.0/16 }
