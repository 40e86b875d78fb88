# Clients come in by the tunnel; the line itself is shaped below it.
link tunnel {
    device  "wg0"
    framing raw
    role    router facing hosts
    egress  { bandwidth 200mbit; fairness per-host }
}
