# Build jobs fetch what they like, at a rate that leaves the host usable.
link jobs {
    device  "br-builds"
    framing raw
    role    bridge facing hosts
    egress  { bandwidth 300mbit; fairness per-host; rtt 30ms }
    ingress { bandwidth 150mbit; fairness per-host; rtt 30ms }
}
