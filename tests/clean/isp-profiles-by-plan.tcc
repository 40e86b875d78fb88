# A small provider: three plans, one link for each subscriber, on QinQ interfaces.
profile access { framing ethernet + vlan + vlan; role bridge facing hosts; rtt internet }
profile shared { framing ethernet + vlan + vlan; role bridge facing hosts; fairness per-host }

link flat-1 : access {
    device  "ae0.100.1"
    egress  { bandwidth 25mbit }
    ingress { bandwidth 5mbit }
}

link flat-2 : access {
    device  "ae0.100.2"
    egress  { bandwidth 25mbit }
    ingress { bandwidth 5mbit }
}

link hostel : shared {
    device  "ae0.200.1"
    egress  { bandwidth 500mbit }
    ingress { bandwidth 100mbit }
}
