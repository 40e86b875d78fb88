# Residential plans on one OLT uplink; upload is a fifth of download.
profile plan { framing ethernet + vlan; role bridge facing hosts; tiers besteffort; rtt regional }

link sub-1001 : plan {
    device  "ae1.1001"
    egress  { bandwidth 115mbit }
    ingress { bandwidth 23mbit }
}

link sub-1002 : plan {
    device  "ae1.1002"
    egress  { bandwidth 345mbit }
    ingress { bandwidth 69mbit }
}

link sub-1003 : plan {
    device  "ae1.1003"
    egress  { bandwidth 1.15gbit }
    ingress { bandwidth 230mbit }
}
