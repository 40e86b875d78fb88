# Telephones have their own network; everything leaves by one fibre with a tag.
let fibre = 1gbit

link wan {
    device  "eth3.832"
    framing ethernet + vlan
    role    router
    egress  { bandwidth 90% of fibre; tiers diffserv4; fairness per-host; gso auto }
    ingress { bandwidth 90% of fibre; tiers diffserv4; fairness per-host }
}

tier phones   as voice { match local subnet 10.1.50.0/24 protocol udp; match dscp ef, cs5 }
tier printers as bulk { match local subnet 10.1.60.0/24 }
