# A host with containers: what each may send, whoever else is busy.
profile tenant {
    framing raw
    role    bridge facing hosts
    ingress { bandwidth 100mbit; tiers besteffort }
    egress  { bandwidth 200mbit; tiers besteffort }
}

link shop : tenant { device "veth-shop" }
link blog : tenant { device "veth-blog"; ingress { bandwidth 20mbit } }
