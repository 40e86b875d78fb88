# A bus: two modems, each with a rate that moves, one set of tiers.
profile modem {
    framing  unknown
    role     router
    fairness per-host
    tiers    diffserv3
    egress   { bandwidth 8mbit within 1mbit..40mbit; ack-filter on }
    ingress  { bandwidth 30mbit within 2mbit..150mbit }
}

link first  : modem { device "wwan0" }
link second : modem { device "wwan1" }
tier bulk { match local subnet 192.168.40.0/24 }
