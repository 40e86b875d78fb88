# DSL by PPPoE on one port, fibre on another.
link dsl {
    device   "pppoe-wan2"
    framing  pppoe-ptm
    role     router
    fairness per-host
    egress   { bandwidth 38mbit }
    ingress  { bandwidth 95mbit }
}

link fibre {
    device   "eth3"
    framing  ethernet
    role     router
    fairness per-host
    egress   { bandwidth 95mbit }
    ingress  { bandwidth 290mbit }
}
