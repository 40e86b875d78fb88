let line = 250mbit

link guests {
    device   "eth1.30"
    framing  raw
    role     router facing hosts
    tiers    besteffort
    fairness per-host
    egress   { bandwidth 10% of line }
    ingress  { bandwidth 10mbit }
}
