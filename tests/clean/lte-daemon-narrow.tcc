# A fixed antenna in the country: the rate moves little.
link lte {
    device   "wwan0"
    framing  unknown
    role     router
    fairness per-host
    egress   { bandwidth 14mbit within 11mbit..16mbit }
    ingress  { bandwidth 55mbit within 45mbit..70mbit }
}
