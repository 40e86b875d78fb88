# G.fast from the basement: 500 down, 120 up.
link wan {
    device  "pppoe-wan"
    framing pppoe-ptm + vlan
    role    router
    egress  { bandwidth 112mbit; tiers diffserv3; fairness per-host }
    ingress { bandwidth 460mbit; tiers diffserv3; fairness per-host; dscp wash }
}
