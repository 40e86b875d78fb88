# One policy, many sites: `tcc generate openwrt branch.tcc --set up=18mbit --set down=90mbit`.
param up   : rate
param down : rate
param port : device = "wan"

profile office {
    tiers    diffserv4
    fairness per-host
    rtt      regional
}

link wan : office {
    device  port
    framing ethernet + vlan
    role    router
    egress  { bandwidth up; ack-filter on }
    ingress { bandwidth down; dscp wash }
}

tier voice { match dscp ef, cs5, cs6; match udp remote port 5060..5061, 16384..32767 }
tier video { match dscp af4x }
tier bulk  { match dscp cs1; match local subnet 10.0.9.0/24 }  # the backup network
