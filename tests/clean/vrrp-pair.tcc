# Two routers share the address; whichever is master shapes.
param up   : rate = 92mbit
param down : rate = 460mbit

link wan {
    device   "eth0.100"
    framing  ethernet + vlan
    role     router
    tiers    diffserv4
    fairness per-host
    egress   { bandwidth up }
    ingress  { bandwidth down }
}

tier sync as voice { match protocol 112 }
