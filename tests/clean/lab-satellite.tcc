# A geostationary path in namespaces.
link sat {
    device  "veth-sat"
    framing raw
    role    bridge
    rtt     satellite
    egress  { bandwidth 10mbit; tiers besteffort }
}

workload page { tcp download 6 flows; tcp upload 1 flow }
objective "it is used" { under page for 60s rtt 650ms; require egress utilisation >= 60% }
