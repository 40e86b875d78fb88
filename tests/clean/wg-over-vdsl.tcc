# The line is shaped; the tunnel through it is not, for WireGuard keeps the flow's hash.
link wan {
    device   "pppoe-wan"
    framing  pppoe-ptm + vlan
    role     router
    tiers    diffserv4
    fairness per-host
    egress   { bandwidth 36mbit }
    ingress  { bandwidth 92mbit }
}

tier tunnel as video { match udp remote port 51820 }
