# A long copper pair.
link adsl {
    device   "pppoa-wan"
    framing  pppoa-vcmux
    role     router
    fairness per-host
    tiers    diffserv3
    egress   { bandwidth 85% of 448kbit; ack-filter on }
    ingress  { bandwidth 85% of 2200kbit }
}
