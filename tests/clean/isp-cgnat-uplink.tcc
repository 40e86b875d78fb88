# Downstream of the CGNAT: subscribers still have addresses of their own.
link core {
    device  "bond0"
    framing ethernet
    role    bridge facing hosts
    egress  { bandwidth 9.4gbit; fairness per-flow; tiers besteffort; qdisc cake_mq }
}
