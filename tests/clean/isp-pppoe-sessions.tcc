# One policy for all sessions of an access concentrator.
link sessions {
    device  matching "ppp*"
    framing raw
    role    router facing hosts
    egress  { bandwidth 50mbit; fairness per-host }
    ingress { bandwidth 10mbit; fairness per-host }
}
