# The backhaul of a tower: a licensed radio whose rate follows the weather.
link backhaul {
    device  "sfp-sfpplus1"
    framing ethernet + vlan
    role    bridge
    rtt     regional
    egress  { bandwidth 380mbit within 90mbit..400mbit; tiers diffserv4 }
    ingress { bandwidth 380mbit within 90mbit..400mbit; tiers diffserv4 }
}

tier network as voice { match dscp cs6, cs7; match protocol ospf }
