# Guests have a VLAN and a small share; the rest of the house is not shaped here.
link guests {
    device  "br-guest"
    framing ethernet + vlan
    role    router facing hosts
    egress  { bandwidth 20mbit; fairness per-host }
    ingress { bandwidth 5mbit; fairness per-host }
}
